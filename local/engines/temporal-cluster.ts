import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { startDaemon } from './daemon.ts';
import { programEnv, type Setup } from './environment.ts';
import { goInstall, platformFolder } from './install.ts';
import { freePort } from './ports.ts';
import { startPostgresql } from './postgresql.ts';
import { capture, step } from './programs.ts';
import { ensure, programTool, type Tool } from './strategies.ts';

/** The version that the Temporal CLI contains. */
const VERSION = '1.29.1';
const READY_TIMEOUT_MS = 120_000;
const CHECK_TIMEOUT_MS = 5_000;
const STOP_GRACE_MS = 20_000;
const LOOK_EVERY_MS = 200;
const RETENTION = '1 day';
/** The default of Temporal's charts; it cannot be changed later. */
const SHARDS = 512;
const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
const STORES = { 'postgres-default': 'temporal', 'postgres-visibility': 'visibility' } as const;

type Store = keyof typeof STORES;
type Postgresql = Awaited<ReturnType<typeof startPostgresql>>;

/** A program of a Temporal cluster, which only the benchmark uses. */
function serverProgram(setup: Setup, { name, command, file }: { name: string; command: string; file: string }): Tool {
  const { env } = setup;
  const version = async (program: string): Promise<string> => {
    const line = await capture(program, ['--version'], env);
    if (!line.includes(VERSION)) throw new Error(`${program} is not ${name} ${VERSION}: ${line.slice(0, 100)}`);
    return `${VERSION}, for the bench only`;
  };
  const program = join(platformFolder(setup, `${file}-${VERSION}`), file);
  return programTool(setup, {
    name,
    names: [],
    cached: [program],
    version,
    installed: [
      goInstall({
        ...{ program, check: version, env, oldestGo: '1.24' },
        module: `go.temporal.io/server/${command}@v${VERSION}`,
        what: `building ${name} ${VERSION} (a few minutes the first time)`,
      }),
    ],
  });
}

const temporalServer = (setup: Setup): Tool =>
  serverProgram(setup, { name: 'Temporal server', command: 'cmd/server', file: 'temporal-server' });
const temporalSqlTool = (setup: Setup): Tool =>
  serverProgram(setup, { name: 'Temporal SQL tool', command: 'cmd/tools/sql', file: 'temporal-sql-tool' });

export type TemporalCluster = Awaited<ReturnType<typeof startTemporalCluster>>;

/** Starts a cluster on an empty PostgreSQL. @param options.stateDir an empty folder */
export async function startTemporalCluster({ stateDir, ...setup }: Setup & { readonly stateDir: string }) {
  const { env, log } = setup;
  const server = await ensure(temporalServer(setup), log);
  const sqlTool = await ensure(temporalSqlTool(setup), log);
  const folders = { postgresql: join(stateDir, 'postgresql'), temporal: join(stateDir, 'temporal') };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true, mode: 0o700 });
  const postgresql = await startPostgresql({ ...setup, stateDir: folders.postgresql });
  try {
    for (const name of Object.values(STORES)) await makeStore(setup, { program: sqlTool.value, name, postgresql });
    const [address, metrics] = [`127.0.0.1:${String(await freePort())}`, `127.0.0.1:${String(await freePort())}`];
    await writeConfig(folders.temporal, { address, metrics, postgresql });
    const daemon = await startDaemon({
      name: 'Temporal server',
      program: server.value,
      args: ['--root', folders.temporal, '--config', '.', '--env', 'bench', '--allow-no-auth', 'start'],
      env: programEnv(env),
      cwd: folders.temporal,
      logFile: join(folders.temporal, 'temporal.log'),
      check: () => checkFrontend(address),
      readyTimeoutMs: READY_TIMEOUT_MS,
      log,
    });
    const stop = async (): Promise<void> => {
      await daemon.stop(STOP_GRACE_MS);
      await postgresql.daemon.stop(STOP_GRACE_MS);
    };
    try {
      await makeNamespace(address);
    } catch (error) {
      await daemon.stop(STOP_GRACE_MS);
      throw error;
    }
    log(`Temporal: server ${VERSION} running on ${address}, ${String(SHARDS)} shards, on PostgreSQL`);
    return {
      address,
      metricsUrl: `http://${metrics}/metrics`,
      dataDir: postgresql.dataDir,
      pids: () => ({ temporal: daemon.pid(), postgresql: postgresql.daemon.pid() }),
      stop,
    };
  } catch (error) {
    await postgresql.daemon.stop(STOP_GRACE_MS);
    throw error;
  }
}

async function makeStore(
  { env, log }: Setup,
  { program, name, postgresql }: { program: string; name: string; postgresql: Postgresql },
): Promise<void> {
  const { host, port, user, password } = postgresql;
  const reach = ['--endpoint', host, '--port', String(port), '--user', user, '--password', password];
  const tool = [program, ...reach, '--plugin', 'postgres12', '--database', name] as const;
  const run = (...args: string[]): Promise<void> =>
    step([tool[0], ...tool.slice(1), ...args], { cwd: '/', env, log, what: `Temporal: ${args[0] ?? ''} of ${name}` });
  await run('create-database');
  await run('setup-schema', '--version', '0.0');
  await run('update-schema', '--schema-name', `postgresql/v12/${name}`);
}

async function writeConfig(
  folder: string,
  { address, metrics, postgresql }: { address: string; metrics: string; postgresql: Postgresql },
): Promise<void> {
  const { host, port, user, password } = postgresql;
  const storeOf = ([store, database]: [string, string]): [string, object] => {
    const connections = store === ('postgres-default' satisfies Store) ? 40 : 10;
    const sql = {
      ...{ pluginName: 'postgres12', databaseName: database, connectProtocol: 'tcp', user, password },
      ...{ connectAddr: `${host}:${String(port)}`, maxConns: connections, maxIdleConns: connections },
      maxConnLifetime: '1h',
    };
    return [store, { sql }];
  };
  const serviceOf = async (name: (typeof SERVICES)[number]): Promise<[string, object]> => {
    const grpcPort = name === 'frontend' ? Number(address.split(':')[1]) : await freePort();
    return [name, { rpc: { grpcPort, membershipPort: await freePort(), bindOnLocalHost: true } }];
  };
  const dynamicConfigFile = join(folder, 'dynamic-config.yaml');
  const config = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      ...{ defaultStore: 'postgres-default' satisfies Store, visibilityStore: 'postgres-visibility' satisfies Store },
      numHistoryShards: SHARDS,
      datastores: Object.fromEntries(Object.entries(STORES).map(storeOf)),
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      metrics: { prometheus: { framework: 'tally', timerType: 'histogram', listenAddress: metrics } },
    },
    services: Object.fromEntries(await Promise.all(SERVICES.map(serviceOf))),
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '60s' },
  };
  // Fairness as in the embedded server.
  const isOn = [{ value: true }];
  const dynamicConfig = { 'matching.useNewMatcher': isOn, 'matching.enableFairness': isOn };
  await writeFile(dynamicConfigFile, JSON.stringify(dynamicConfig), { mode: 0o600 });
  await writeFile(join(folder, 'bench.yaml'), JSON.stringify(config, undefined, 2), { mode: 0o600 });
}

async function withFrontend(address: string, body: (connection: Connection) => Promise<unknown>): Promise<void> {
  // Each attempt uses a new connection without the SDK's retries, because an old one would wait for its growing back-off.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + CHECK_TIMEOUT_MS, () => body(connection));
  } finally {
    await connection.close();
  }
}

const checkFrontend = (address: string): Promise<void> =>
  withFrontend(address, ({ workflowService }) => workflowService.describeNamespace({ namespace: 'temporal-system' }));

async function makeNamespace(address: string): Promise<void> {
  const namespace = 'default';
  await withFrontend(address, ({ workflowService }) =>
    workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(RETENTION),
    }),
  );
  // It takes a while until all services know the namespace.
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      await withFrontend(address, ({ workflowService }) => workflowService.countWorkflowExecutions({ namespace }));
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await delay(LOOK_EVERY_MS);
  }
}
