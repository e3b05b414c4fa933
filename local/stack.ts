import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadConfig, settings, type Config } from '../config.ts';
import { defaultCacheDir } from './engines/cache.ts';
import { startEngines, type EngineAddresses } from './engines/engines.ts';
import { choosePort, type PortChoice } from './engines/ports.ts';
import { serviceEnv, type Env, type Log } from './engines/environment.ts';
import { speechSettings } from './engines/speech-setup.ts';
import { ensureTools } from './engines/tools.ts';
import { startServiceProcess, type Output, type ServiceName } from './service-process.ts';
import { signalProcess, type Supervised } from './supervise.ts';

/** The time for closing connections after the grace time of a process. */
const EXTRA_GRACE_MS = 5_000;
const SETTINGS = new Set(Object.keys(settings.shape));
const ENGINE_PORTS = ['TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'MONGODB_PORT'];

/** The environment without the user's settings, such as PORT, except those in `kept`. */
export function withoutSettings(env: Env, kept: RegExp): Env {
  const cleared = [...SETTINGS, ...ENGINE_PORTS].filter((name) => !kept.test(name));
  return { ...env, ...Object.fromEntries(cleared.map((name) => [name, undefined])) };
}

export interface StackOptions {
  readonly env: Env;
  readonly dataDir: string;
  readonly services: readonly ServiceName[];
  readonly ports: PortChoice;
  readonly log: Log;
  readonly output: Output;
  readonly cacheDir?: string;
}

const PROCESSES = ['api', 'worker', 'temporal', 'mongodb'] as const;
export type ProcessName = (typeof PROCESSES)[number];

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** Starts the service, whose parts are restarted when they die. @throws if one does not start; the others are then stopped */
export async function startStack(options: StackOptions) {
  const { log } = options;
  const dataDir = resolve(options.dataDir);
  const cacheDir = options.cacheDir ?? defaultCacheDir(options.env);
  // Reports wrong settings before anything is started.
  const config = loadConfig({ ...options.env, DATA_DIR: dataDir });
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new Error(`DATA_DIR: ${dataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  });
  const addresses = Promise.withResolvers<EngineAddresses>();
  const failed = new AbortController();
  const services = new Map<ServiceName, Supervised>();
  const graceMs = config.SHUTDOWN_GRACE_SECONDS * 1000 + EXTRA_GRACE_MS;
  /** Api and worker load while the engines start, and wait for them. */
  const startServices = async () => {
    const [tools, speech, engines] = await Promise.all([
      ensureTools({ env: options.env, cacheDir, log }),
      options.services.includes('worker') ? speechSettings({ env: options.env, cacheDir, log }, config) : {},
      addresses.promise,
    ]);
    const ports = await servicePorts(options, config);
    const rpcToken = await secretOf(options.env, 'RPC_TOKEN', join(dataDir, 'rpc-token'));
    const env: Readonly<Record<string, string>> = {
      ...serviceEnv(options.env, SETTINGS),
      DATA_DIR: dataDir,
      PORT: String(ports.rest),
      RPC_PORT: String(ports.rpc),
      TEMPORAL_ADDRESS: engines.temporalAddress,
      ...(engines.temporalUiUrl === undefined ? {} : { TEMPORAL_UI_URL: engines.temporalUiUrl }),
      MONGODB_URI: engines.mongodbUri,
      YTDLP_PATH: tools.ytdlp,
      FFMPEG_PATH: tools.ffmpeg,
      FFPROBE_PATH: tools.ffprobe,
      ...speech,
      LINK_SECRET: (await secretOf(options.env, 'LINK_SECRET', join(dataDir, 'link-secret'))).value,
      RPC_TOKEN: rpcToken.value,
    };
    const restUrl = urlOf(config.HOST, ports.rest);
    const { output } = options;
    const starts = options.services.map(async (name) => {
      const healthUrl = name === 'api' ? `${restUrl}/health` : undefined;
      services.set(name, await startServiceProcess({ name, env, output, log, healthUrl, signal: failed.signal }));
    });
    await allOrError(starts);
    return { env, restUrl, rpcUrl: urlOf(config.RPC_HOST, ports.rpc), rpcToken };
  };
  const failing = <Value>(start: Promise<Value>): Promise<Value> =>
    start.catch((error: unknown) => {
      failed.abort(error);
      addresses.reject(error);
      throw error;
    });
  const onAddresses = addresses.resolve;
  const enginesStart = failing(
    startEngines({ env: options.env, dataDir, cacheDir, ports: options.ports, log, onAddresses }),
  );
  const servicesStart = failing(startServices());
  let stopped: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    await services.get('api')?.stop(graceMs);
    await services.get('worker')?.stop(graceMs);
    await enginesStart.then(
      (engines) => engines.stop(),
      () => undefined,
    );
  };
  const stop = (): Promise<void> => (stopped ??= stopAll());
  try {
    await allOrError([enginesStart, servicesStart]);
    const engines = await enginesStart;
    const { env, restUrl, rpcUrl, rpcToken } = await servicesStart;
    const processes = (): { name: ProcessName; pid: number }[] => {
      const pids = { api: services.get('api')?.pid(), worker: services.get('worker')?.pid(), ...engines.pids() };
      return PROCESSES.flatMap((name) => (pids[name] === undefined ? [] : [{ name, pid: pids[name] }]));
    };
    return {
      restUrl,
      rpcUrl,
      rpcToken: rpcToken.value,
      rpcTokenIn: rpcToken.from,
      temporalAddress: engines.temporalAddress,
      temporalUiUrl: engines.temporalUiUrl,
      mongodbUri: engines.mongodbUri,
      /** The environment of api and worker, including secrets. */
      env,
      processes,
      kill(name: ProcessName, signal: NodeJS.Signals) {
        const found = processes().find((one) => one.name === name);
        if (found === undefined) throw new Error(`${name} is not running here`);
        signalProcess(found.pid, signal);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for all promises. @throws the first error in their order */
async function allOrError(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason;
}

async function servicePorts(
  { env, services, ports, log }: StackOptions,
  { PORT, RPC_PORT }: Config,
): Promise<{ rest: number; rpc: number }> {
  // Without an api, the stack uses no ports.
  if (!services.includes('api')) return { rest: PORT, rpc: RPC_PORT };
  const wish = { env, choice: ports };
  return {
    rest: await choosePort({ ...wish, what: 'REST', setting: 'PORT', preferred: 3000 }, log),
    rpc: await choosePort({ ...wish, what: 'tRPC', setting: 'RPC_PORT', preferred: 3001 }, log),
  };
}

/** Generated secrets are stored, because signed links and tokens must stay valid after restarts. */
async function secretOf(env: Env, setting: string, file: string): Promise<{ value: string; from: string }> {
  const given = env[setting];
  if (given !== undefined && given !== '') return { value: given, from: setting };
  try {
    await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return { value: (await readFile(file, 'utf8')).trim(), from: file };
}

/** A process that listens on all addresses is reached by loopback. */
function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
