import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { halfOpened, openedByOperator, refused, type Breaker } from '../../pacing/breaker.ts';
import type { BreakerStore } from '../../pacing/breaker-store.ts';
import { ytdlpReleases } from '../../runtime/telemetry/diagnostics.ts';
import type { Mongo } from '../../store/mongo/mongo-client.ts';
import type { QueueState } from '../../worker/create-workers.ts';
import { createOperatorPages } from '../../worker/start-telemetry.ts';
import type { Stage } from '../../worker/activity-log.ts';
import { ROOT } from '../helpers/markdown.ts';
import { breakersOn, memoryBreakerStore, GENEROUS } from '../helpers/breakers.ts';

const log = pino({ level: 'silent' });
const attempt: Stage = {
  ...{ stage: 'fetchAudio', kind: 'audio', queue: 'q', route: 'vidnet', downloadId: undefined, workflowId: undefined },
  ...{ attempt: 1, outcome: 'ok', queuedSeconds: 0, seconds: 2, input: {}, result: undefined },
};
const running: QueueState[] = [
  { queue: 'q', state: 'polled' },
  { queue: 'q-speech', state: 'polled' },
];
let close = (): void => undefined;
afterEach(() => close());

/** The pages of a worker whose engines are as told. */
async function servePages({
  queues = running,
  pingMongo = () => Promise.resolve(),
  waiting = 0,
  store = memoryBreakerStore() as BreakerStore,
}) {
  const pages = await createOperatorPages(loadConfig({ WORKER_METRICS_PORT: '0' }), log);
  close = () => pages.close();
  const stats = { approximateBacklogCount: waiting, approximateBacklogAge: { seconds: waiting * 10 } };
  const client = {
    connection: { withDeadline: (_at: number, ask: () => Promise<unknown>) => ask() },
    workflowService: {
      getSystemInfo: () => Promise.resolve({}),
      describeTaskQueue: () => Promise.resolve({ stats }),
    },
  } as unknown as Client;
  const mongo = { ping: pingMongo } as Mongo;
  const port = await pages.serve({
    client,
    mongo,
    queues: () => queues,
    routes: ['vidnet'],
    breakers: breakersOn(store),
    serviceQueues: ['q', 'q-sites'],
    ytdlp: () => Promise.resolve({ version: '2026.11.5', ageDays: 18 }),
  });
  const ask = (path: string) => fetch(`http://127.0.0.1:${String(port)}${path}`);
  return { ...pages, ready: () => ask('/readyz'), metrics: async () => (await ask('/metrics')).text() };
}

describe('the health of a worker', () => {
  it('is 503 while one of its queues is not polled, and tells which', async () => {
    const queues: QueueState[] = [...running, { queue: 'q-webhooks', state: 'stopping' }];
    const answer = await (await servePages({ queues })).ready();
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      status: 'unavailable',
      temporal: 'ok',
      queues: { 'q-speech': 'polled', 'q-webhooks': 'stopping' },
    });
  });

  it('is 503 while an engine gives no answer', async () => {
    const answer = await (await servePages({ pingMongo: () => Promise.reject(new Error('away')) })).ready();
    expect([answer.status, await answer.json()]).toMatchObject([503, { temporal: 'ok', mongodb: 'unavailable' }]);
  });
});

describe('the metrics of a worker', () => {
  it('tell jobs, bytes, refusals and webhooks from what steps take and return', async () => {
    const { onStage, metrics } = await servePages({ waiting: 3 });
    const ended: Stage = { ...attempt, stage: 'finishJob', jobSeconds: 60 };
    onStage({ ...ended, jobStatus: 'success', bytes: 1_000 });
    onStage({ ...ended, jobStatus: 'failed', code: 'private' });
    onStage({ ...attempt, outcome: 'rate_limited', route: 'site/example.com' });
    onStage({ ...attempt, outcome: 'private' });
    onStage({ ...attempt, outcome: 'later', seconds: 1_000 });
    for (const [result, isLast] of [
      ['queue', false],
      ['delivered', true],
      ['refused', false],
      ['refused', true],
    ] as const)
      onStage({ ...attempt, stage: 'attemptDelivery', input: { isLast }, result });
    ytdlpReleases.publish({ what: 'refused' });
    const page = await metrics();
    expect(page).not.toContain('outcome="queue"');
    expect(page.split('\n')).toEqual(
      expect.arrayContaining([
        'tapedeck_jobs_total{kind="audio",outcome="success"} 1',
        'tapedeck_jobs_total{kind="audio",outcome="private"} 1',
        'tapedeck_job_seconds_bucket{kind="audio",le="30"} 0',
        'tapedeck_job_seconds_bucket{kind="audio",le="120"} 2',
        'tapedeck_published_bytes_total{kind="audio"} 1000',
        'tapedeck_platform_refusals_total{route="site",code="rate_limited"} 1',
        'tapedeck_stage_seconds_sum{stage="fetchAudio"} 4',
        'tapedeck_stages_total{stage="fetchAudio",outcome="later"} 1',
        'tapedeck_stages_total{stage="fetchAudio",outcome="error"} 0',
        'tapedeck_webhook_attempts_total{outcome="delivered"} 1',
        'tapedeck_webhook_attempts_total{outcome="refused"} 1',
        'tapedeck_webhook_attempts_total{outcome="abandoned"} 1',
        'tapedeck_ytdlp_age_days{version="2026.11.5"} 18',
        'tapedeck_ytdlp_releases_total{what="refused"} 1',
        'tapedeck_ytdlp_releases_total{what="trouble"} 0',
        'tapedeck_route_paused{route="vidnet",by="operator"} 0',
        'tapedeck_route_paused{route="vidnet",by="platform"} 0',
        'tapedeck_queue_waiting{queue="q"} 6',
        'tapedeck_queue_oldest_seconds{queue="q"} 30',
        'tapedeck_queue_polled{queue="q-speech"} 1',
        'tapedeck_queue_polled{queue="q"} 1',
      ]),
    );
  });

  it('tell of queues that others should poll, too', async () => {
    const page = await (await servePages({ waiting: 3 })).metrics();
    expect(page).toMatch(/^tapedeck_queue_polled\{queue="q-sites"\} 0$/m);
    expect(page).toMatch(/^tapedeck_queue_oldest_seconds\{queue="q-sites"\} 30$/m);
  });

  it('are told while the database gives no answer, without what stands in it', async () => {
    const page = await (
      await servePages({ store: { ...memoryBreakerStore(), read: () => new Promise(() => undefined) } })
    ).metrics();
    expect(page).not.toMatch(/^tapedeck_route_paused/m);
    expect(page).toMatch(/^tapedeck_queue_polled\{queue="q"\} 1$/m);
  });

  it('tell whether an operator or a platform has opened a circuit breaker', async () => {
    const nowMs = Date.now();
    const byOperator = openedByOperator('repairs', { spanMs: 60_000, nowMs });
    const refusal = { code: 'rate_limited', message: '' } as const;
    const use = { limits: GENEROUS, nowMs, trialId: undefined, isOutdated: false };
    const pagesOf = async (breaker: Breaker): Promise<string[]> => {
      close();
      const store = memoryBreakerStore();
      await store.replace('vidnet', undefined, breaker);
      const page = await (await servePages({ store })).metrics();
      return page.split('\n').filter((line) => line.startsWith('tapedeck_route_paused'));
    };
    const operator = [
      'tapedeck_route_paused{route="vidnet",by="operator"} 1',
      'tapedeck_route_paused{route="vidnet",by="platform"} 0',
    ];
    expect(await pagesOf(byOperator)).toEqual(operator);
    // A use that began before the breaker opened is refused; then the trial after it.
    expect(await pagesOf(refused(byOperator, refusal, use))).toEqual(operator);
    const platform = [
      'tapedeck_route_paused{route="vidnet",by="operator"} 0',
      'tapedeck_route_paused{route="vidnet",by="platform"} 1',
    ];
    const trial = halfOpened(byOperator, 'a-trial', nowMs);
    expect(await pagesOf(refused(trial, refusal, { ...use, trialId: 'a-trial' }))).toEqual(platform);
    expect(await pagesOf(refused(undefined, refusal, use))).toEqual(platform);
  });

  it('count from 0 what alerts look for, before it has happened', async () => {
    const page = await (await servePages({})).metrics();
    const alerts = await readFile(`${ROOT}deploy/prometheus/alerts.yml`, 'utf8');
    const [, codes = ''] = /tapedeck_jobs_total\{outcome=~"([\w|]+)"/.exec(alerts) ?? [];
    const failed = codes.split('|').map((code) => `tapedeck_jobs_total{kind="audio",outcome="${code}"} 0`);
    expect(failed.length).toBeGreaterThan(1);
    expect(page.split('\n')).toEqual(
      expect.arrayContaining([
        ...failed,
        'tapedeck_jobs_total{kind="audio",outcome="success"} 0',
        'tapedeck_stages_total{stage="beginJob",outcome="error"} 0',
        'tapedeck_stages_total{stage="fetchAudio",outcome="disk_full"} 0',
        'tapedeck_program_runs_total{program="yt-dlp",end="killed"} 0',
        'tapedeck_webhook_attempts_total{outcome="abandoned"} 0',
      ]),
    );
  });
});
