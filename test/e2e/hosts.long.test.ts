import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { auditCharges } from '../../quality/chaos/audit/charges.ts';
import { readEvidence } from '../../quality/chaos/audit/evidence.ts';
import { auditFiles } from '../../quality/chaos/audit/files.ts';
import { auditJobs } from '../../quality/chaos/audit/jobs.ts';
import { auditWebhooks, owedWebhooks } from '../../quality/chaos/audit/webhooks.ts';
import { sendCallers } from '../../quality/chaos/callers.ts';
import { createClient, type Client } from '../../quality/chaos/client.ts';
import { isSettled, openLedger } from '../../quality/chaos/ledger.ts';
import { planCalls, createRandom } from '../../quality/chaos/plan.ts';
import { mongodbServer } from '../../quality/fault-proxy.ts';
import { receptionOf } from '../../quality/chaos/stage.ts';
import { readSandboxIndex } from '../../quality/chaos/sandbox-index.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { speechPython } from '../../local/engines/speech-setup.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { BUILT_IN_CATALOGUE, startSandbox, type Sandbox } from '../../local/sandbox/server.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { bucketSettings } from '../helpers/file-stores.ts';
import { HOSTS_NETWORK, openHostNetwork, remainsIn, type Host, type HostNetwork } from '../helpers/hosts.ts';
import { always, startTranscriptionServer } from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';

const JOBS = 24;
const CALLERS_COME_FOR_MS = 60_000;
/** Longer than until the absence of a worker is noticed. */
const CUT_OFF_MS = 35_000;
const SLOW_BYTES_PER_SECOND = 40_000;
const CREDIT = 1_000_000_000;
const PATIENCE_MS = 15 * 60_000;
const WORK = ['work', 'speech', 'speech-work'];

const unique = randomUUID().slice(0, 8);
const dataDir = join(tmpdir(), `tapedeck-hosts-${unique}`);
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const stops: (() => Promise<unknown>)[] = [];
let network: HostNetwork;
let sandbox: Sandbox;
let sandboxExposed: string;
let hooksUrl: string;
let settings: Record<string, string>;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;

beforeAll(async () => {
  network = await openHostNetwork();
  stops.push(() => network.close());
  const { ffmpeg, ffprobe } = inject('tools');
  const cacheDir = defaultCacheDir(process.env);
  receiver = await startWebhookReceiver();
  stops.push(() => receiver.close());
  const words = await startTranscriptionServer({ product: 'whisper-1', instead: always('One says this.') });
  stops.push(() => words.stop());
  sandbox = await startSandbox({
    ...{
      catalogueDir: BUILT_IN_CATALOGUE,
      cacheDir: join(cacheDir, 'sandbox'),
      port: 0,
      ffmpeg,
      ffprobe,
      idSalt: unique,
    },
    log: () => undefined,
  });
  stops.push(() => sandbox.stop());
  sandboxExposed = await network.expose(new URL(sandbox.url).host);
  const log = (): void => undefined;
  const { python, vadModel } = (await ensure(speechPython({ env: process.env, cacheDir, log }), log)).value;
  const bucket = await bucketSettings();
  const urlFromHosts = async (text: string): Promise<string> => {
    const url = new URL(text);
    url.host = await network.expose(url.host);
    return url.href.replace(/\/$/, '');
  };
  hooksUrl = await urlFromHosts(receiver.url);
  const mongodb = await network.expose(mongodbServer(inject('mongodbUri')));
  const { PATH = '', HOME = '' } = process.env;
  settings = {
    ...{ PATH, HOME, LOG_FORMAT: 'json', ALLOW_ANONYMOUS: 'false', RATE_LIMIT_PER_MINUTE: '1000000' },
    ...{ TEMPORAL_ADDRESS: await network.expose(inject('temporalAddress')), MONGODB_URI: `mongodb://${mongodb}/` },
    ...{ TASK_QUEUE: `hosts-${unique}`, MONGODB_DATABASE: `hosts-${unique}` },
    ...{ LINK_SECRET: randomBytes(32).toString('hex'), RPC_TOKEN: randomBytes(32).toString('hex') },
    ...{ FILES_STORE: 's3', ...bucket, S3_ENDPOINT: await urlFromHosts(bucket['S3_ENDPOINT'] ?? '') },
    ...{ YTDLP_PATH: inject('ytdlp'), FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe },
    ...{ SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: await urlFromHosts(words.url), SPEECH_PYTHON_PATH: python },
    ...{ SPEECH_VAD_MODEL_PATH: vadModel, SPEECH_WINDOW_SECONDS: '10', MAX_SPEECH_WINDOWS: '1', MAX_FETCHES: '2' },
    ...{ VIDNET_STARTS_PER_MINUTE: '6000', IMGNET_STARTS_PER_MINUTE: '6000', SHUTDOWN_GRACE_SECONDS: '3' },
    ...{ WEBHOOK_SECRETS: secret, WEBHOOK_ALLOWED_NETWORKS: HOSTS_NETWORK, STARTUP_WAIT_SECONDS: '180' },
    ...sandbox.env,
  };
}, 1_200_000);
afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  if (process.env['KEEP_E2E'] === undefined) await rm(dataDir, { recursive: true, force: true });
}, 300_000);

const folderOf = ({ name }: Host): string => join(dataDir, name);

async function startHosts(): Promise<{ readonly apis: readonly Host[]; readonly workers: readonly Host[] }> {
  const apis = await Promise.all(['api1', 'api2'].map((name, index) => network.addHost(name, 11 + index)));
  const workers = await Promise.all(['one', 'two', 'three'].map((name, index) => network.addHost(name, 21 + index)));
  for (const api of apis) api.run('api', { ...settings, HOST: api.address }, folderOf(api));
  for (const host of [...apis, ...workers]) await host.expectOnLoopback(sandboxExposed);
  for (const worker of workers) worker.run('worker', settings, folderOf(worker));
  for (const { address } of apis) {
    const isReady = () =>
      fetch(`http://${address}:3000/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady, { within: 600_000, what: `the api at ${address}` });
  }
  return { apis, workers };
}

/** Cuts off the first host that is in the midst of a download. */
async function cutInMidDownload(hosts: readonly Host[]): Promise<Host> {
  const isAtIt = async (host: Host): Promise<boolean> =>
    (await remainsIn(folderOf(host), ['work'])).some((name) => name.endsWith('.part'));
  const found = async () => {
    for (const host of hosts) if (await isAtIt(host)) return host;
    return undefined;
  };
  const host = await until(found, { within: 600_000, what: 'a host in the midst of a download' });
  await host.cutOff();
  return host;
}

it('of three hosts one is cut off in mid-download and one never returns: nothing is lost, doubled or left on those that live', async () => {
  const mongo = await MongoClient.connect(inject('mongodbUri'), { ignoreUndefined: true });
  stops.push(() => mongo.close());
  const db = mongo.db(settings['MONGODB_DATABASE']);
  const { id, text } = await createKeyStore(db).create({ name: 'hosts', scopes: ['read', 'jobs'] });
  await createAccountStore(db).open(id, CREDIT);
  const { apis, workers } = await startHosts();

  const slow = { video: '*', target: 'media', mode: 'slow', bytes_per_second: SLOW_BYTES_PER_SECOND };
  expect((await fetch(`${sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(slow) })).ok).toBe(true);
  const index = await readSandboxIndex(sandbox);
  const calls = planCalls(index, createRandom(7), { jobs: JOBS, durationMs: CALLERS_COME_FOR_MS });
  const ledger = openLedger(calls, (call) => `${hooksUrl}/${call}`);
  const clients = apis.map(({ address }) => createClient(`http://${address}:3000`, `Bearer ${text}`, ledger));
  let requests = 0;
  const client: Client = {
    request: (...asked) => clients[(requests += 1) % clients.length]!.request(...asked),
  };
  const receptions = () => receiver.posts.map((post) => receptionOf(post, secret));
  const startMs = performance.now();
  const over = new AbortController();
  const nowMs = (): number => performance.now() - startMs;
  const callers = sendCallers({ client, ledger, nowMs, goHome: over.signal });
  callers.catch(() => undefined);
  stops.push(() => (over.abort(new Error('the test is over')), callers.catch(() => undefined)));

  const cutOff = await cutInMidDownload(workers);
  const cutMs = performance.now();
  const lost = await cutInMidDownload(workers.filter((host) => host !== cutOff));
  await lost.loseForGood();
  await until(() => performance.now() - cutMs > CUT_OFF_MS, { within: 2 * CUT_OFF_MS });
  await cutOff.connectAgain();
  const off = { video: '*', target: 'media', mode: 'off' };
  await fetch(`${sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(off) });

  const connection = await Connection.connect({ address: inject('temporalAddress') });
  stops.push(() => connection.close());
  const open = async (): Promise<string[]> => {
    const ids: string[] = [];
    const query = `ExecutionStatus = 'Running' AND TaskQueue = '${settings['TASK_QUEUE'] ?? ''}'`;
    for await (const { workflowId } of new TemporalClient({ connection }).workflow.list({ query }))
      ids.push(workflowId);
    return ids;
  };
  const isIdle = async () =>
    ledger.entries.every(isSettled) && owedWebhooks(ledger, receptions()).length === 0 && (await open()).length === 0;
  // What is late is told by the columns below.
  await until(isIdle, { within: PATIENCE_MS }).catch(() => undefined);
  const living = workers.filter((host) => host !== lost);
  const remains = async () =>
    (await Promise.all(living.map((host) => remainsIn(folderOf(host), ['work', 'speech'])))).flat();
  await until(async () => (await remains()).length === 0, { within: 180_000 }).catch(() => undefined);
  const leftWhileRunning = await remains();

  const evidence = await readEvidence(
    { mongo, key: { id, text, credit: CREDIT } },
    client,
    settings['MONGODB_DATABASE'],
  );
  const stillOpen = await open();
  await Promise.all([...apis, ...workers].map((host) => host.stop()));
  const { ffmpeg, ffprobe } = inject('tools');
  const folder = join(inject('dataDir'), 's3/objects', settings['S3_BUCKET'] ?? '', 'files');
  const files = await auditFiles({ folder, index, ffmpeg, ffprobe }, evidence);
  const left = await Promise.all(living.map((host) => remainsIn(folderOf(host), WORK)));
  const findings = [
    ...auditJobs(ledger, evidence),
    ...files.findings,
    ...auditCharges(evidence, CREDIT),
    ...auditWebhooks(ledger, receptions(), { ...evidence, kills: 2 }).findings,
    { column: 'workflows still open', ids: stillOpen },
    { column: 'answers 5xx without an error body', ids: ledger.bareErrors },
    { column: 'files or folders left on hosts that live', ids: [...leftWhileRunning, ...left.flat()] },
  ];
  expect(findings.filter(({ ids }) => ids.length > 0)).toEqual([]);
  expect(findings.length).toBeGreaterThan(15);
  expect(evidence.records.size).toBeGreaterThan(JOBS / 2);
  expect(files.files).toBeGreaterThan(0);
}, 2_400_000);
