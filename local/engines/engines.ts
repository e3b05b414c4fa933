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

/** Uses engines that `env` names by TEMPORAL_ADDRESS, TEMPORAL_UI_URL and MONGODB_URI, and starts the others on the ports of *_PORT. */
export interface EnginesOptions extends Setup {
  readonly dataDir: string;
  readonly ports: PortChoice;
  readonly namespaces?: readonly string[];
  /** Called before the engines are ready, because the processes that use them wait for them. */
  readonly onAddresses?: (addresses: EngineAddresses) => void;
}

export interface EngineAddresses {
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | undefined;
  readonly mongodbUri: string;
}

/** @throws {NoStrategyError} when one cannot be installed; an error with the end of its log when one does not start */
export async function startEngines(options: EnginesOptions) {
  const unlock = await lockOwn(options);
  const [temporalAt, mongodbAt] = [Promise.withResolvers<TemporalAt>(), Promise.withResolvers<string>()];
  const addresses = Promise.all([temporalAt.promise, mongodbAt.promise]).then(([{ address, uiUrl }, mongodbUri]) => ({
    temporalAddress: address,
    temporalUiUrl: uiUrl,
    mongodbUri,
  }));
  if (options.onAddresses !== undefined) void addresses.then(options.onAddresses);
  const [temporal, mongodb] = await Promise.allSettled([
    temporalPart(options, temporalAt.resolve),
    mongodbPart(options, mongodbAt.resolve),
  ]);
  const daemons = [temporal, mongodb].flatMap((part) => (part.status === 'fulfilled' ? (part.value ?? []) : []));
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
    ...(await addresses),
    pids: () => ({ temporal: temporal.value?.pid(), mongodb: mongodb.value?.pid() }),
    stop,
  };
}

async function lockOwn({ env, dataDir }: EnginesOptions): Promise<() => Promise<void>> {
  const isGiven = (name: string): boolean => setting(env, name) !== undefined;
  if (isGiven('TEMPORAL_ADDRESS') && isGiven('MONGODB_URI')) return () => Promise.resolve();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return lockDataDir(dataDir);
}

interface TemporalAt {
  readonly address: string;
  readonly uiUrl: string | undefined;
}

/** @returns undefined where an address was given */
async function temporalPart(
  options: EnginesOptions,
  onAddress: (at: TemporalAt) => void,
): Promise<Supervised | undefined> {
  const { env, ports, log } = options;
  const given = setting(env, 'TEMPORAL_ADDRESS');
  if (given !== undefined) {
    log(`Temporal: using TEMPORAL_ADDRESS=${given}`);
    onAddress({ address: given, uiUrl: setting(env, 'TEMPORAL_UI_URL') });
    return undefined;
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
  const address = `127.0.0.1:${String(port)}`;
  onAddress({ address, uiUrl: `http://127.0.0.1:${String(uiPort)}` });
  const daemon = await startTemporal({ ...options, program, stateDir, port, uiPort, codecUrl });
  log(`Temporal: running on ${address} (${by}: ${program})`);
  return daemon;
}

/** @returns undefined where an address was given */
async function mongodbPart(options: EnginesOptions, onAddress: (uri: string) => void): Promise<Supervised | undefined> {
  const { env, log } = options;
  const given = setting(env, 'MONGODB_URI');
  if (given !== undefined) {
    log('MongoDB: using MONGODB_URI');
    onAddress(given);
    return undefined;
  }
  const stateDir = await folder(options, 'mongodb');
  const { value: server, by } = await ensureMongodbServer(options, stateDir);
  const address = await mongodbAddress(env, stateDir);
  const uriFile = join(resolve(options.dataDir), MONGODB_URI_FILE);
  onAddress(address.uri);
  const daemon = await startMongodb({ ...options, server, stateDir, address }).catch(async (error: unknown) => {
    await address.release();
    throw error;
  });
  await writeFile(uriFile, address.uri, { mode: 0o600 });
  log(`MongoDB: ${server.kind} running on ${address.uri} (${by}: ${server.program})`);
  return {
    pid: daemon.pid,
    async stop(graceMs) {
      await daemon.stop(graceMs);
      await Promise.all([address.release(), rm(uriFile, { force: true })]);
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
