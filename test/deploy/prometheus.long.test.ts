import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { prometheus, promtoolBeside } from '../../local/engines/prometheus.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { ROOT } from '../helpers/markdown.ts';
import { until } from '../helpers/until.ts';
import { startWatchedService, type WatchedService } from '../helpers/watching-prometheus.ts';

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
  it('accepts the example configuration and its alerts', async () => {
    const { stdout } = await execute(promtool, ['check', 'config', join(folder, 'prometheus.yml')]);
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('sees each alert fire for its cause and none for healthy figures', async () => {
    const file = join(folder, 'tests.yml');
    const tests = await readFile(new URL('./alerts.promtool.yml', import.meta.url), 'utf8');
    await writeFile(file, tests.replace('[ALERTS]', '[alerts.yml]'));
    await expect(execute(promtool, ['test', 'rules', file])).resolves.toMatchObject({ stderr: '' });
  });
});

describe('a Prometheus that watches a service', () => {
  let watched: WatchedService;
  beforeAll(async () => (watched = await startWatchedService({})), 180_000);
  afterAll(() => watched.stop());

  it('scrapes api, worker and SDK and sees metrics change with a job', async () => {
    const { service, query } = watched;
    const done = async () => (await query('sum(tapedeck_jobs_total{kind="audio",outcome="success"})'))[0]?.value ?? 0;
    await until(async () => ((await query('up == 1')).length === 3 ? true : undefined), { what: 'three targets' });
    expect(await done()).toBe(0);
    await service.finishedAudio(service.videoId('ordinary'));
    await until(async () => ((await done()) === 1 ? true : undefined), { what: 'a job' });
    expect(await watched.firing()).toEqual([]);
  });

  it('answers every query of the dashboard', async () => {
    const { query } = watched;
    const { panels } = JSON.parse(await readFile(`${ROOT}deploy/grafana/tapedeck.json`, 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        // What did not happen just now is left out of a panel, but has an answer.
        const asked = expr.replaceAll('$__rate_interval', '1m').replace(/ > 0$/, '');
        // Nothing has failed, was refused, ended, heard or renewed; a rate needs two looks at the same figure.
        if (/failed|wrong|Refusals|were ended|Speech|releases/.test(title)) await query(asked);
        else await until(async () => ((await query(asked)).length > 0 ? true : undefined), { what: asked });
      }
    }
  });
});
