import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Supervised } from '../supervise.ts';
import { lockDataDir } from './data-lock.ts';
import type { Env, Setup } from './environment.ts';
import { startMongodb, ensureMongodbServer } from './mongodb-server.ts';
import { choosePort, mongodbAddress, type PortChoice } from './ports.ts';
import { temporalCli } from './temporal-cli.ts';
import { ensure } from './strategies.ts';
import { startTemporal } from './temporal.ts';

const STOP_GRACE_MS = 10_000;
/** A file in DATA_DIR while the embedded MongoDB runs, for `npm run keys`. */
const MONGODB_URI_FILE = 'mongodb-uri';

/** Engines that `env` names are used: TEMPORAL_ADDRESS, TEMPORAL_UI_URL and MONGODB_URI. *_PORT set the ports of others. */
export interface EnginesOptions extends Setup {
  readonly dataDir: string;
  readonly ports: PortChoice;
  readonly namespaces?: readonly string[];
}

/** @throws {NoStrategyError} when one cannot be installed; an error with the end of its log when one does not start */
export async function startEngines(options: EnginesOptions) {
  const unlock = await lockOwn(options);
  const [temporal, mongodb] = await Promise.allSettled([temporalPart(options), mongodbPart(options)]);
  const daemons = [temporal, mongodb].flatMap((part) => (part.status === 'fulfilled' ? (part.value.daemon ?? []) : []));
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= Promise.all(daemons.map((daemon) => daemon.stop(STOP_GRACE_MS)))
      .finally(unlock)
      .then(() => undefined));
  if (temporal.status === 'rejected' || mongodb.status === 'rejected') {
    await stop();
    throw temporal.status === 'rejected' ? temporal.reason : (mongodb as PromiseRejectedResult).reason;
  }
  return {
    temporalAddress: temporal.value.address,
    temporalUiUrl: temporal.value.uiUrl,
    mongodbUri: mongodb.value.uri,
    pids: () => ({ temporal: temporal.value.daemon?.pid(), mongodb: mongodb.value.daemon?.pid() }),
    stop,
  };
}

async function lockOwn({ env, dataDir }: EnginesOptions): Promise<() => Promise<void>> {
  const isGiven = (name: string): boolean => setting(env, name) !== undefined;
  if (isGiven('TEMPORAL_ADDRESS') && isGiven('MONGODB_URI')) return () => Promise.resolve();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return lockDataDir(dataDir);
}

/** `daemon` is absent where an address was given. */
type Part<Reached> = Promise<Reached & { readonly daemon?: Supervised }>;

async function temporalPart(options: EnginesOptions): Part<{ address: string; uiUrl: string | undefined }> {
  const { env, ports, log } = options;
  const given = setting(env, 'TEMPORAL_ADDRESS');
  if (given !== undefined) {
    log(`Temporal: using TEMPORAL_ADDRESS=${given}`);
    return { address: given, uiUrl: setting(env, 'TEMPORAL_UI_URL') };
  }
  const { value: program, by } = await ensure(temporalCli(options), log);
  const wish = { env, choice: ports };
  const port = await choosePort({ ...wish, what: 'Temporal', setting: 'TEMPORAL_PORT', preferred: 7233 }, log);
  const ui = { what: 'Temporal Web UI', setting: 'TEMPORAL_UI_PORT', preferred: 8233 };
  const uiPort = await choosePort({ ...wish, ...ui }, log);
  const stateDir = await folder(options, 'temporal');
  // The browser sends requests there.
  const codecPort = setting(env, 'CODEC_PORT');
  const codecUrl = codecPort === undefined ? undefined : `http://127.0.0.1:${codecPort}`;
  const daemon = await startTemporal({ ...options, program, stateDir, port, uiPort, codecUrl });
  const address = `127.0.0.1:${String(port)}`;
  log(`Temporal: running on ${address} (${by}: ${program})`);
  return { address, uiUrl: `http://127.0.0.1:${String(uiPort)}`, daemon };
}

async function mongodbPart(options: EnginesOptions): Part<{ uri: string }> {
  const { env, log } = options;
  const given = setting(env, 'MONGODB_URI');
  if (given !== undefined) {
    log('MongoDB: using MONGODB_URI');
    return { uri: given };
  }
  const stateDir = await folder(options, 'mongodb');
  const { value: server, by } = await ensureMongodbServer(options, stateDir);
  const address = await mongodbAddress(env, stateDir);
  const uriFile = join(resolve(options.dataDir), MONGODB_URI_FILE);
  const daemon = await startMongodb({ ...options, server, stateDir, address }).catch(async (error: unknown) => {
    await address.release();
    throw error;
  });
  await writeFile(uriFile, address.uri, { mode: 0o600 });
  log(`MongoDB: ${server.kind} running on ${address.uri} (${by}: ${server.program})`);
  return {
    uri: address.uri,
    daemon: {
      pid: daemon.pid,
      async stop(graceMs) {
        await daemon.stop(graceMs);
        await Promise.all([address.release(), rm(uriFile, { force: true })]);
      },
    },
  };
}

async function folder(options: EnginesOptions, name: string): Promise<string> {
  const dir = join(resolve(options.dataDir), name);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // An existing folder may have other permissions.
  await chmod(dir, 0o700);
  return dir;
}

function setting(env: Env, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}
