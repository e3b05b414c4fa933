import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { freePort } from '../../local/engines/ports.ts';
import { prometheus, promtoolBeside, startPrometheus } from '../../local/engines/prometheus.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { ROOT } from '../helpers/markdown.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log: () => undefined };
const execute = promisify(execFile);
let folder: string;
let promtool: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-prometheus-'));
  promtool = promtoolBeside((await ensure(prometheus(setup), setup.log)).value);
  await cp(`${ROOT}deploy/prometheus`, folder, { recursive: true });
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('promtool', () => {
  it('finds no mistake in the example of a configuration and its alerts', async () => {
    const { stdout } = await execute(promtool, ['check', 'config', join(folder, 'prometheus.yml')]);
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('sees each alert fire by its fault, and none by good figures', async () => {
    const file = join(folder, 'tests.yml');
    const tests = await readFile(new URL('./alerts.promtool.yml', import.meta.url), 'utf8');
    await writeFile(file, tests.replace('[ALERTS]', '[alerts.yml]'));
    await expect(execute(promtool, ['test', 'rules', file])).resolves.toMatchObject({ stderr: '' });
  });
});

describe('a Prometheus that watches a service', () => {
  let service: TestService;
  let watching: Awaited<ReturnType<typeof startPrometheus>>;
  const query = async (expr: string): Promise<readonly { metric: Record<string, string>; value: number }[]> => {
    const answer = await fetch(`${watching.url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const told = (await answer.json()) as {
      status: string;
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    expect([expr, told.status]).toEqual([expr, 'success']);
    return told.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  };

  beforeAll(async () => {
    const ports = { api: await freePort(), worker: await freePort(), sdk: await freePort() };
    service = await TestService.start({
      env: {
        ...{ API_METRICS_PORT: String(ports.api), WORKER_METRICS_PORT: String(ports.worker) },
        ...{ TEMPORAL_METRICS_PORT: String(ports.sdk), UPSTREAM_FIRST_PAUSE_SECONDS: '30' },
      },
    });
    const example = await readFile(join(folder, 'prometheus.yml'), 'utf8');
    const targets = { 'api:9464': ports.api, 'worker:9465': ports.worker, 'worker:9466': ports.sdk };
    const configFile = join(folder, 'quick.yml');
    let config = example.replaceAll(/_interval: 15s/g, '_interval: 1s').replace('alerts.yml', 'quick-alerts.yml');
    for (const [name, port] of Object.entries(targets)) config = config.replace(name, `127.0.0.1:${String(port)}`);
    await writeFile(configFile, config);
    const alerts = await readFile(join(folder, 'alerts.yml'), 'utf8');
    await writeFile(join(folder, 'quick-alerts.yml'), alerts.replaceAll(/for: \d+m/g, 'for: 1s'));
    watching = await startPrometheus({ ...setup, stateDir: folder, configFile });
  }, 180_000);
  afterAll(async () => {
    await watching.daemon.stop(5_000);
    await service.stop();
  });

  it('reaches api, worker and SDK, and sees figures move with a job', async () => {
    const done = async () => (await query('sum(tapedeck_jobs_total{kind="audio",outcome="success"})'))[0]?.value ?? 0;
    await until(async () => ((await query('up == 1')).length === 3 ? true : undefined), { what: 'three targets' });
    expect(await done()).toBe(0);
    await service.finishedAudio(service.videoId('ordinary'));
    await until(async () => ((await done()) === 1 ? true : undefined), { what: 'a job' });
    expect(await query('ALERTS{alertstate="firing"}')).toEqual([]);
  });

  it('answers every question of the dashboard', async () => {
    const { panels } = JSON.parse(await readFile(`${ROOT}deploy/grafana/tapedeck.json`, 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const asked = expr.replaceAll('$__rate_interval', '1m');
        // Nothing was refused, ended or heard, and no newer yt-dlp fetched; a rate needs two looks at the same figure.
        if (/wrong|Refusals|were ended|Speech/.test(title) || expr.includes('ytdlp_releases')) await query(asked);
        else await until(async () => ((await query(asked)).length > 0 ? true : undefined), { what: asked });
      }
    }
  });

  it('tells when a platform refuses, and when a worker is gone', async () => {
    const firing = async () =>
      (await query('ALERTS{alertstate="firing"}')).map(({ metric: { alertname, route } }) => ({ alertname, route }));
    await service.misbehave({ video: '*', target: 'page', mode: '429' });
    await service.requestAudio(service.videoId('hd720'));
    const paused = { alertname: 'TapedeckPlatformPaused', route: 'vidnet' };
    await until(async () => ((await firing()).some(({ route }) => route === 'vidnet') ? true : undefined), {
      what: 'the alert of a paused platform',
    });
    expect(await firing()).toContainEqual(paused);
    service.stack.kill('worker', 'SIGSTOP');
    await until(
      async () => ((await firing()).some(({ alertname }) => alertname === 'TapedeckDown') ? true : undefined),
      {
        what: 'the alert of a worker that does not answer',
        within: 60_000,
      },
    );
    service.stack.kill('worker', 'SIGCONT');
  }, 120_000);
});
