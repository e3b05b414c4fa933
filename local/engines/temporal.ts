import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startDaemon } from './daemon.ts';
import { programEnv, type Setup } from './environment.ts';
import type { Supervised } from '../supervise.ts';
import { freePort, isFree, portsWithoutPages } from './ports.ts';
import { startUiProxy } from './ui-proxy.ts';

const READY_TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 2_000;
const MOST_TRIES = 5;
const FAIR_QUEUES = [
  // A key with thousands of jobs does not hold up another's first.
  ...['matching.useNewMatcher=true', 'matching.enableFairness=true'],
  // With one process there is nothing to spread, and a task need not be handed on from one part of a queue to the other.
  ...['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'],
];

/**
 * Survives the death of every process. Only a power cut may take what came in the seconds before it, and the records of such
 * jobs end as failed when they are asked for. Waiting for the disk at each step took a sixth of the time of accepting jobs.
 */
const SQLITE = ['journal_mode=WAL', 'synchronous=NORMAL'];

export interface TemporalServerOptions extends Omit<Setup, 'cacheDir'> {
  readonly program: string;
  /** Folder of the database and the log. */
  readonly stateDir: string;
  readonly port: number;
  /** Where people find the Web UI. */
  readonly uiPort: number;
  /** Where the Web UI has encrypted payloads decoded. */
  readonly codecUrl?: string | undefined;
  /** Besides `default`. */
  readonly namespaces?: readonly string[] | undefined;
}

/**
 * Starts the Temporal dev server with its Web UI, state kept in `stateDir`.
 *
 * The server asks nobody who they are. Its gRPC ports are out of reach for a page in a browser, which cannot speak that; its
 * three HTTP ports are not, under whatever name a page finds them. So the HTTP API refuses every request, metrics and Web UI
 * listen where no browser connects to, and people come to the Web UI by a proxy of ours on `uiPort`.
 *
 * @throws when it does not come up
 */
export async function startTemporal(options: TemporalServerOptions): Promise<Supervised> {
  const isFair = await isFairIn(options.stateDir);
  const ports: HiddenPorts = { ui: 0, metrics: 0, http: await freePort() };
  const endProxy = await startUiProxy(options.uiPort, () => ports.ui);
  for (let tries = 1; ; tries += 1) {
    try {
      const daemon = await startServer({ ...options, isFair }, ports);
      return { pid: daemon.pid, stop: (graceMs) => daemon.stop(graceMs).finally(endProxy) };
    } catch (error) {
      const wasTaken =
        error instanceof Error &&
        /can't set (UI|metrics|frontend HTTP) port|address already in use/.test(error.message);
      if (wasTaken && tries < MOST_TRIES) continue;
      await endProxy();
      throw error;
    }
  }
}

/** The ports of the server that clients do not need to know. Another process may take one while the server is down. */
interface HiddenPorts {
  ui: number;
  metrics: number;
  http: number;
}

/** @returns the arguments that name them */
async function chooseAnew(ports: HiddenPorts): Promise<readonly string[]> {
  const [ui = 0, metrics = 0] = await portsWithoutPages(2);
  const http = (await isFree(ports.http)) ? ports.http : await freePort();
  Object.assign(ports, { ui, metrics, http });
  return ['--ui-port', String(ui), '--metrics-port', String(metrics), '--http-port', String(http)];
}

/**
 * Whether the server shares out tasks by their callers. It finds no tasks that were queued before it did: a folder that began
 * without that goes on without.
 */
async function isFairIn(stateDir: string): Promise<boolean> {
  const sign = join(stateDir, 'fair');
  const exists = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  if (!(await exists(join(stateDir, 'temporal.db')))) await writeFile(sign, '');
  return exists(sign);
}

function startServer(
  options: TemporalServerOptions & { readonly isFair: boolean },
  ports: HiddenPorts,
): Promise<Supervised> {
  const { port, stateDir, namespaces = [] } = options;
  const address = `127.0.0.1:${String(port)}`;
  const settings = [
    // No request has a name with a space in its Host header.
    'frontend.httpAllowedHosts=["nobody at all"]',
    ...(options.isFair ? FAIR_QUEUES : []),
    // It is served by the same port and does not look at the names.
    'system.enableNexus=false',
    // This server has one shard, where others have hundreds, and each reads its queues 20 times a second at most: after a few
    // jobs in a row every step of one waited for 40 ms.
    ...['history.transferProcessorMaxPollRPS=1000', 'history.timerProcessorMaxPollRPS=1000'],
  ];
  return startDaemon({
    name: 'Temporal',
    program: options.program,
    args: async () => [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
      ...(await chooseAnew(ports)),
      ...settings.flatMap((setting) => ['--dynamic-config-value', setting]),
      ...['--db-filename', join(stateDir, 'temporal.db')],
      ...SQLITE.flatMap((pragma) => ['--sqlite-pragma', pragma]),
      ...['--log-level', 'error'],
      ...(options.codecUrl === undefined ? [] : ['--ui-codec-endpoint', options.codecUrl]),
      ...namespaces.flatMap((name) => ['--namespace', name]),
    ],
    env: programEnv(options.env),
    cwd: stateDir,
    logFile: join(stateDir, 'temporal.log'),
    check: async () => {
      await checkNamespaces(address, ['default', ...namespaces]);
      await checkHttpIsClosed(ports.http);
    },
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: options.log,
  });
}

/** The server answers before its namespaces exist; a client that starts a workflow needs both. */
async function checkNamespaces(address: string, namespaces: readonly string[]): Promise<void> {
  // A new connection each time, without the SDK's retries: an old one would wait out its back-off, which grows.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + CHECK_TIMEOUT_MS, async () => {
      for (const namespace of namespaces) await connection.workflowService.describeNamespace({ namespace });
    });
  } finally {
    await connection.close();
  }
}

/** A server that is too old for the setting would let everybody in without a word. */
async function checkHttpIsClosed(port: number): Promise<void> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${String(port)}/api/v1/namespaces`, { signal });
  await response.body?.cancel();
  if (response.status !== 403) throw new Error('its HTTP API lets everybody in: this server is too old');
}
