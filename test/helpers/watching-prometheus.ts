import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { freePort } from '../../local/engines/ports.ts';
import { startDaemon } from '../../local/engines/daemon.ts';
import { programEnv, type Setup } from '../../local/engines/environment.ts';
import { prometheus } from '../../local/engines/prometheus.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { ROOT } from './markdown.ts';
import { TestService, type ServiceOptions } from './service.ts';

const READY_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 1_000;

/** The labels of a sample. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly metric: Labels;
  readonly value: number;
}

export type WatchedService = Awaited<ReturnType<typeof startWatchedService>>;

/**
 * A service, and a real Prometheus that watches it as the example of a configuration says, by the alerts that ship. Only times
 * are others: it looks every 3 s, 30 s stand for the minutes that alerts look back, and none waits before it fires.
 *
 * @param options.furtherWorkers how many more ports of workers are watched, where nobody answers at first
 */
export async function startWatchedService({
  furtherWorkers = 0,
  env,
  ...options
}: ServiceOptions & { readonly furtherWorkers?: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-watched-'));
  const ports = { api: await freePort(), worker: await freePort(), sdk: await freePort() };
  const further = await Promise.all(Array.from({ length: furtherWorkers }, () => freePort()));
  await cp(`${ROOT}deploy/prometheus`, folder, { recursive: true });
  // No name leads to one address on several ports.
  const targets = {
    ...{ 'names: [api], type: A, port: 9464': [ports.api], 'names: [worker], type: A, port: 9466': [ports.sdk] },
    'names: [worker], type: A, port: 9465': [ports.worker, ...further],
  };
  const configFile = join(folder, 'prometheus.yml');
  let config = (await readFile(configFile, 'utf8')).replaceAll(/_interval: 15s/g, '_interval: 3s');
  config = config.replace('evaluation_interval: 3s', 'evaluation_interval: 1s');
  for (const [named, own] of Object.entries(targets)) {
    const there = own.map((port) => `'127.0.0.1:${String(port)}'`).join(', ');
    config = config.replace(`dns_sd_configs: [{ ${named} }]`, `static_configs: [{ targets: [${there}] }]`);
  }
  expect(config).not.toContain('dns_sd_configs');
  await writeFile(configFile, config);
  const rulesFile = join(folder, 'alerts.yml');
  const rules = await readFile(rulesFile, 'utf8');
  const quick = rules.replaceAll(/for: \d+m/g, 'for: 0s').replaceAll(/\[\d+[mh]\]/g, '[30s]');
  await writeFile(rulesFile, quick.replaceAll('> 900', '> 5'));

  const service = await TestService.start({
    ...options,
    env: {
      ...{ API_METRICS_PORT: String(ports.api), WORKER_METRICS_PORT: String(ports.worker) },
      ...{ TEMPORAL_METRICS_PORT: String(ports.sdk), ...env },
    },
  });
  const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log: () => undefined };
  const { url, daemon } = await startPrometheus({ ...setup, stateDir: folder, configFile }).catch(
    async (error: unknown) => {
      await service.stop();
      throw error;
    },
  );
  const query = async (expr: string): Promise<readonly Sample[]> => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const body = (await answer.json()) as {
      status: string;
      data: { result: { metric: Labels; value: [number, string] }[] };
    };
    expect([expr, body.status]).toEqual([expr, 'success']);
    return body.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  };
  return {
    service,
    /** Of the further workers. */
    furtherPorts: further,
    /** Names of all alerts. */
    alerts: Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name = '']) => name),
    query,
    /** The alerts that fire now. @param back such as `5m`: those that have fired since */
    async firing(back?: string): Promise<readonly Labels[]> {
      const alerts = 'ALERTS{alertstate="firing"}';
      return (await query(back === undefined ? alerts : `last_over_time(${alerts}[${back}])`)).map(
        ({ metric }) => metric,
      );
    },
    async stop(): Promise<void> {
      await daemon.stop(5_000);
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startPrometheus({
  stateDir,
  configFile,
  ...setup
}: Setup & { readonly stateDir: string; readonly configFile: string }) {
  const { value: program } = await ensure(prometheus(setup), setup.log);
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const daemon = await startDaemon({
    name: 'Prometheus',
    program,
    args: [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(stateDir, 'data')}`,
      `--web.listen-address=127.0.0.1:${String(port)}`,
    ],
    env: programEnv(setup.env),
    cwd: stateDir,
    logFile: join(stateDir, 'prometheus.log'),
    check: async () => {
      const answer = await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`${url} answered ${String(answer.status)}`);
    },
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: setup.log,
  });
  return { url, daemon };
}
