import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { settings } from '../../config.ts';
import { defaultCacheDir } from '../engines/cache.ts';
import type { Env, Log } from '../engines/environment.ts';
import { ensureTools } from '../engines/tools.ts';
import { BUILT_IN_CATALOGUE, startSandbox } from '../sandbox/server.ts';
import { startStack } from '../stack.ts';

/** A talk of two, 18 s: long enough to tell their voices apart, and soon transcribed. */
const TALK = 'The new bridge opens in June';
/** Engines and tools of the user's; everything else the demo decides itself. */
const TAKEN_OVER =
  /^(TEMPORAL_(ADDRESS|NAMESPACE|API_KEY|TLS|UI_URL)|MONGODB_URI|(YTDLP|FFMPEG|FFPROBE)_PATH|LOG_LEVEL|SPEECH_.+)$/;
const ENGINE_PORTS = ['TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'MONGODB_PORT'];

export interface StageOptions {
  readonly env: Env;
  /** A recording to use in place of the built-in talk. */
  readonly media: string | undefined;
  readonly dataDir: string;
  readonly log: Log;
  /** Called with what ends each part, as soon as it runs. To be called in reverse order. */
  readonly onStarted: (stop: () => Promise<void>) => void;
}

/** All that the demo plays with. */
export type Stage = Awaited<ReturnType<typeof setStage>>;

/** Sets up tools and engines, and starts everything. @throws when something can't be had or started */
export async function setStage({ env: given, media, dataDir, log, onStarted }: StageOptions) {
  const cacheDir = defaultCacheDir(given);
  const env = demoEnv(given);
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = env;
  // Twice the same check would be told twice: what is found here is handed on.
  const { ytdlp, ffmpeg, ffprobe } = await ensureTools({ env, cacheDir, log });
  const receiver = await startReceiver();
  onStarted(receiver.close);
  const sandbox = await startSandbox({
    catalogueDir: BUILT_IN_CATALOGUE,
    mediaDir: media,
    cacheDir: join(cacheDir, 'sandbox'),
    port: 0,
    ffmpeg,
    ffprobe,
    // Makes the video ids this run's own, where earlier runs may have left theirs.
    idSalt: database,
    log,
  });
  onStarted(() => sandbox.stop());
  const path = media === undefined ? undefined : await realpath(media);
  const video = sandbox.catalogue.find(({ title, formats }) =>
    path === undefined ? title === TALK : formats.some((format) => format.path === path),
  );
  if (video === undefined) {
    throw new Error(
      `${media === undefined ? TALK : `--media ${media}`}: this is no audio or video file that can be read`,
    );
  }
  if (uri && database !== undefined) {
    onStarted(async () => {
      const client = new MongoClient(uri);
      await client
        .db(database)
        .dropDatabase()
        .finally(() => client.close());
    });
  }
  const stack = await startStack({
    env: { ...env, YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe, ...sandbox.env },
    dataDir,
    cacheDir,
    roles: ['api', 'worker'],
    ports: 'free',
    log,
    output: { dir: join(dataDir, 'logs') },
  });
  onStarted(() => stack.stop());
  return { stack, sandbox, receiver, video, isBuiltIn: media === undefined, ffprobe };
}

/** A setting such as PORT or PUBLIC_URL is for the user's own service: here it would clash with it or mislead. */
function demoEnv(given: Env): Env {
  const cleared = [...Object.keys(settings.shape), ...ENGINE_PORTS].filter((name) => !TAKEN_OVER.test(name));
  const isShared = Boolean(given['MONGODB_URI'] || given['TEMPORAL_ADDRESS']);
  const ownName = isShared ? `tapedeck-demo-${randomUUID().slice(0, 8)}` : undefined;
  return {
    ...given,
    ...Object.fromEntries(cleared.map((name) => [name, undefined])),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // The progress bar asks several times a second; the limit is for callers, and this one is alone.
    RATE_LIMIT_PER_MINUTE: '100000',
    // The demo's data are in a folder of their own, without the models that npm run models has fetched.
    SPEECH_MODELS_DIR: given['SPEECH_MODELS_DIR'] || resolve(given['DATA_DIR'] || './data', 'models'),
    TASK_QUEUE: ownName,
    MONGODB_DATABASE: ownName,
  };
}

/** What a caller of the service has: a server that takes its webhooks and answers 200. */
async function startReceiver() {
  const webhooks: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        webhooks.push({ headers: request.headers, body });
        response.writeHead(200).end();
      },
      () => response.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhook`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return { url, webhooks, close };
}
