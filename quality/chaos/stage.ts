import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { MongoClient } from 'mongodb';
import type { Env } from '../../local/engines/environment.ts';
import { withoutSettings, startStack, type ProcessName } from '../../local/stack.ts';
import { type ReceivedPost, startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startEngines } from '../../local/engines/engines.ts';
import { ensureTools } from '../../local/engines/tools.ts';
import { startSandbox } from '../../local/sandbox/server.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { writeCatalogue } from './catalogue.ts';
import { startRelay } from './relay.ts';
import { FaultProxy, mongodbServer } from '../fault-proxy.ts';

/** Tools that the machine has; everything else is the run's own, whatever the user's service is set to. */
const TAKEN_OVER = /^((YTDLP|FFMPEG|FFPROBE|SPEECH_PYTHON)_PATH|SPEECH_VAD_MODEL_PATH)$/;

export const DATABASE = 'chaos';

/** The settings of the service under test. @param own of them, those that a run has otherwise */
export function chaosSettings(given: Env, own: Env = {}): Env & { readonly WEBHOOK_SECRETS: string } {
  return {
    ...withoutSettings(given, TAKEN_OVER),
    ALLOW_ANONYMOUS: 'false',
    MONGODB_DATABASE: DATABASE,
    TASK_QUEUE: 'chaos',
    // The run is about faults and not about limits.
    RATE_LIMIT_PER_MINUTE: '1000000',
    VIDNET_STARTS_PER_MINUTE: '6000',
    IMGNET_STARTS_PER_MINUTE: '6000',
    SHUTDOWN_GRACE_SECONDS: '3',
    SPEECH_ENGINE: 'whisper',
    MAX_SPEECH_WINDOWS: '1',
    // One or two windows for each talk of 15 to 30 s.
    SPEECH_WINDOW_SECONDS: '20',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...own,
    WEBHOOK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

export type Reception = Readonly<ReturnType<typeof receptionOf>>;

/** How far a webhook's time may be from that of its arrival, as the official library has it. */
const TOLERANCE_MS = 5 * 60_000;

export function receptionOf({ path, headers, body, at }: ReceivedPost, secret: string) {
  const webhookId = headers['webhook-id'] ?? '';
  const sent = new Date(Number(headers['webhook-timestamp']) * 1000);
  const isSigned =
    Math.abs(at - sent.getTime()) <= TOLERANCE_MS &&
    // There is one signature for each secret.
    (headers['webhook-signature'] ?? '').split(' ').includes(new Webhook(secret).sign(webhookId, sent, body));
  // The last segment of the URL: which call it was promised to.
  const callId = path.split('/').at(-1) ?? '';
  return { callId, webhookId, headers, body, isSigned };
}

const CREDIT_THOUSANDTHS = 1_000_000_000;
const VIDEOS_PER_JOB = 0.35;
const ACCOUNTS_PER_JOB = 0.06;
const ACCOUNTS_PER_IMGNET_JOB = 0.16;

/** The connections that can be cut, by what is at their far end. */
export const LINES = ['api', 'temporal', 'mongodb', 'sandbox', 'receiver'] as const;

export type Stage = Awaited<ReturnType<typeof setStage>>;

export interface StageOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly jobs: number;
  /** The share of jobs about the photo platform, if one was given. */
  readonly imgnetShare: number | undefined;
  readonly dataDir: string;
  /** A checkout of the release that runs first; by default this release runs alone. */
  readonly before?: string | undefined;
  /** Also gets lines about restarts, such as `worker is back`. */
  readonly log: (line: string) => void;
  /** Called with a function that stops a part, as soon as it runs. They must be called in reverse order. */
  readonly onStarted: (stop: () => Promise<void>) => void;
}

/** Starts engines, sandbox, receiver and service, each behind a line that can be cut. @throws when one does not start */
export async function setStage({
  env: given,
  settings,
  jobs,
  imgnetShare,
  dataDir,
  before,
  log,
  onStarted,
}: StageOptions) {
  const accountsPerJob = imgnetShare === undefined ? ACCOUNTS_PER_JOB : imgnetShare * ACCOUNTS_PER_IMGNET_JOB;
  const env = chaosSettings(given, settings);
  const cacheDir = defaultCacheDir(env);
  const tools = await ensureTools({ env, cacheDir, log });
  const line = async (target: () => string): Promise<FaultProxy> => {
    const proxy = await FaultProxy.start(target);
    onStarted(() => proxy.stop());
    return proxy;
  };

  const receiver = await startWebhookReceiver();
  onStarted(() => receiver.close());
  const receiverLine = await line(() => new URL(receiver.url).host);
  const catalogueDir = join(dataDir, 'catalogue');
  await writeCatalogue(catalogueDir, Math.ceil(jobs * VIDEOS_PER_JOB));
  const sandboxLine = await line(() => new URL(sandbox.url).host);
  const sandbox = await startSandbox({
    catalogueDir,
    cacheDir: join(dataDir, 'sandbox'),
    port: 0,
    log,
    ffmpeg: tools.ffmpeg,
    ffprobe: tools.ffprobe,
    publicUrl: `http://${sandboxLine.address}`,
    furtherAccounts: Math.ceil(jobs * accountsPerJob),
  });
  onStarted(() => sandbox.stop());

  const engines = await startEngines({ env, dataDir: join(dataDir, 'engines'), cacheDir, ports: 'free', log });
  onStarted(() => engines.stop());
  const temporalLine = await line(() => engines.temporalAddress);
  const mongodbLine = await line(() => mongodbServer(engines.mongodbUri));
  const stack = await startStack({
    env: {
      ...env,
      YTDLP_PATH: tools.ytdlp,
      FFMPEG_PATH: tools.ffmpeg,
      FFPROBE_PATH: tools.ffprobe,
      TEMPORAL_ADDRESS: temporalLine.address,
      MONGODB_URI: `mongodb://${mongodbLine.address}/`,
      ...sandbox.env,
      // Each site of the hostile caller is a host of its own.
      MEDIA_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    dataDir: join(dataDir, 'service'),
    cacheDir,
    services: before === undefined ? ['api', 'worker'] : [],
    ports: 'free',
    log,
    output: { dir: join(dataDir, 'logs') },
  });
  onStarted(() => stack.stop());
  const logsDir = join(dataDir, 'logs');
  const relay = before === undefined ? undefined : await startRelay(before, { env: stack.env, logsDir, cacheDir, log });
  if (relay !== undefined) onStarted(() => relay.stop());
  const apiLine = await line(() => new URL(relay?.restUrl() ?? stack.restUrl).host);

  // A direct connection, since the audit must not be cut.
  const mongo = await MongoClient.connect(engines.mongodbUri, { ignoreUndefined: true });
  onStarted(() => mongo.close());
  const db = mongo.db(DATABASE);
  const keyOf = async (name: string) => {
    const { id, text } = await createKeyStore(db).create({ name, scopes: ['read', 'jobs'] });
    await createAccountStore(db).open(id, CREDIT_THOUSANDTHS);
    return { id, text, credit: CREDIT_THOUSANDTHS };
  };
  return {
    stack,
    relay,
    engines,
    sandbox,
    tools,
    mongo,
    lines: {
      api: apiLine,
      temporal: temporalLine,
      mongodb: mongodbLine,
      sandbox: sandboxLine,
      receiver: receiverLine,
    },
    key: await keyOf('chaos'),
    hostileKey: await keyOf('hostile'),
    receptions: () => receiver.posts.map((post) => receptionOf(post, env.WEBHOOK_SECRETS)),
    pidOf: (name: ProcessName) =>
      name === 'temporal' || name === 'mongodb'
        ? engines.pids()[name]
        : stack.processes().find((one) => one.name === name)?.pid,
  };
}
