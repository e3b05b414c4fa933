import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { startDaemon } from './daemon.ts';
import { programEnv, type Setup } from './environment.ts';
import type { Supervised } from '../supervise.ts';
import { freePort, isFree, portsWithoutPages } from './ports.ts';
import { startUiProxy } from './ui-proxy.ts';

const READY_TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 2_000;
const MOST_TRIES = 5;
const DESCRIBE_NAMESPACE = '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace';
const FAIR_QUEUES = [
  // With fairness, a key with thousands of jobs does not delay the first job of another key.
  ...['matching.useNewMatcher=true', 'matching.enableFairness=true'],
  // Partitions spread queues over several processes, but this server is one process.
  ...['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'],
];

/** A power cut may lose the last seconds. Waiting for the disk took a sixth of the time of accepting jobs. */
const SQLITE = ['journal_mode=WAL', 'synchronous=NORMAL'];

export interface TemporalServerOptions extends Omit<Setup, 'cacheDir'> {
  readonly program: string;
  readonly stateDir: string;
  readonly port: number;
  readonly uiPort: number;
  readonly codecUrl?: string | undefined;
  readonly namespaces?: readonly string[] | undefined;
}

/** The server has no authentication, so the HTTP API refuses all, and browsers refuse the ports of metrics and Web UI. */
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

/** Ports that clients need not know. They change if another process takes one while the server is down. */
interface HiddenPorts {
  ui: number;
  metrics: number;
  http: number;
}

async function chooseAnew(ports: HiddenPorts): Promise<readonly string[]> {
  const [ui = 0, metrics = 0] = await portsWithoutPages(2);
  const http = (await isFree(ports.http)) ? ports.http : await freePort();
  Object.assign(ports, { ui, metrics, http });
  return ['--ui-port', String(ui), '--metrics-port', String(metrics), '--http-port', String(http)];
}

/** Whether task queues are fair. A server with fair queues does not find the tasks of unfair ones, so an existing folder keeps those. */
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
    // No Host header contains a space, so the HTTP API refuses every request.
    'frontend.httpAllowedHosts=["nobody at all"]',
    ...(options.isFair ? FAIR_QUEUES : []),
    // Nexus is on the same port and ignores the Host header.
    'system.enableNexus=false',
    // A shard reads its queues at most 20 times a second by default. This server has one shard, so each step waited for 40 ms.
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

/** The server answers before its namespaces exist. */
async function checkNamespaces(address: string, namespaces: readonly string[]): Promise<void> {
  // Each attempt uses a new connection, because an old one would wait for its growing back-off. Temporal's client takes 20 MB more.
  const client = new Client(address, credentials.createInsecure());
  const bytes = (message: Buffer): Buffer => message;
  const describe = (namespace: string): Promise<void> =>
    new Promise((resolve, reject) => {
      // The first field of the message is the name of the namespace.
      const request = Buffer.from(`\n${String.fromCharCode(namespace.length)}${namespace}`);
      const deadline = { deadline: Date.now() + CHECK_TIMEOUT_MS };
      client.makeUnaryRequest(DESCRIBE_NAMESPACE, bytes, bytes, request, deadline, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  try {
    for (const namespace of namespaces) await describe(namespace);
  } finally {
    client.close();
  }
}

/** An older server ignores the setting that closes the HTTP API. */
async function checkHttpIsClosed(port: number): Promise<void> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${String(port)}/api/v1/namespaces`, { signal });
  await response.body?.cancel();
  if (response.status !== 403) throw new Error('its HTTP API lets everybody in: this server is too old');
}
