import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createJobGateway } from '../../api/job-gateway.ts';
import { loadConfig } from '../../config.ts';
import { MEMO_JOB } from '../../contract/job-input.ts';
import { createRouteCommands } from '../../operator/routes/route-commands.ts';
import type { BreakerStore } from '../../pacing/breaker-store.ts';
import { outsideHours } from '../../pacing/breaker.ts';
import { MAX_WAIT_MS, routeNamesOf, routesOf, type DailyLimits } from '../../pacing/routes.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { breakersOn, GENEROUS, memoryBreakerStore, routesWith } from '../helpers/breakers.ts';
import { anAudioJob } from '../helpers/jobs.ts';
import { until } from '../helpers/until.ts';
import { audioHarness } from '../helpers/workflow-harness.ts';
import { startWorkers } from '../helpers/workflow-run.ts';

const HOUR_MS = 3_600_000;
const PATIENCE = { within: 150_000, what: 'the waits' };
const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16);
/** A worker that starts with what others have stored. */
const aWorker = (store: BreakerStore, limits: DailyLimits) =>
  breakersOn(store, routesWith({ ...GENEROUS, ...limits })).of('page');

describe('hours of a day', () => {
  it.each([
    ['22:00-06:00', '21:59:59.999', '22:00', 1],
    ['22:00-06:00', '22:00:00.000', undefined, 0],
    ['22:00-06:00', '23:59:59.999', undefined, 0],
    ['22:00-06:00', '05:59:59.999', undefined, 0],
    ['22:00-06:00', '06:00:00.000', '22:00', 16 * HOUR_MS],
    ['09:30-17:00', '17:00:00.000', '09:30', 16.5 * HOUR_MS],
    ['09:30-17:00', '00:00:00.000', '09:30', 9.5 * HOUR_MS],
    ['09:30-17:00', '12:00:00.000', undefined, 0],
    ['18:00-00:00', '23:59:59.999', undefined, 0],
    ['18:00-00:00', '00:00:00.000', '18:00', 18 * HOUR_MS],
  ])('%s at %s', (hours, time, begins, waitMs) => {
    const nowMs = Date.parse(`2026-11-26T${time}Z`);
    const found = outsideHours(hours, nowMs);
    expect(found === undefined ? 0 : found.untilMs - nowMs).toBe(waitMs);
    expect(found && clockOf(found.untilMs)).toBe(begins);
    expect(found === undefined || found.sinceMs <= nowMs).toBe(true);
  });

  it.each(['22:00', '22-6', '25:00-06:00', '22:00-06:60', '06:00-06:00', 'night'])('are not %s', (text) => {
    expect(() => loadConfig({ VIDNET_HOURS: text })).toThrow('VIDNET_HOURS: two times such as 22:00-06:00');
  });
});

describe('with a simulated clock', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-26T12:00:00Z') }));
  afterEach(() => void vi.useRealTimers());
  const advance = (hours: number) => vi.advanceTimersByTimeAsync(hours * HOUR_MS);

  it('a route is held outside its hours, without a write', async () => {
    const store = memoryBreakerStore();
    const write = vi.spyOn(store, 'replace');
    const worker = aWorker(store, { hours: '22:00-06:00' });
    expect(await worker.enter()).toMatchObject({
      ...{ open: { by: 'operator', reason: expect.stringContaining('22:00-06:00 (UTC)') as string } },
      waitMs: 10 * HOUR_MS,
    });
    expect(worker.state).toBe('held');
    const woken = worker.changed(AbortSignal.timeout(12 * HOUR_MS));
    await advance(10);
    await woken;
    expect(worker.state).toBe('closed');
    expect(await worker.enter()).toHaveProperty('end');
    await advance(8);
    expect(worker.state).toBe('held');
    expect(write).not.toHaveBeenCalled();
  });

  it('a refusal near the end of the hours does not shorten the wait for the next ones', async () => {
    const worker = aWorker(memoryBreakerStore(), { hours: '11:00-12:01' });
    const use = await worker.enter();
    if (!('end' in use)) throw new Error('the route is held within its hours');
    await use.end({ code: 'rate_limited', message: 'Slow down.' });
    expect(await worker.enter()).toMatchObject({ open: { code: 'rate_limited' }, waitMs: 15_000 });
    await advance(1 / 60);
    expect(await worker.enter()).toMatchObject({ open: { by: 'operator' }, waitMs: 23 * HOUR_MS - 60_000 });
  });

  it('the number of a day holds over several workers and restarts, until midnight', async () => {
    const store = memoryBreakerStore();
    const limits = { startsPerDay: 5 };
    const started = async (uses: number) => {
      // New ones each time, as after a restart.
      const workers = [aWorker(store, limits), aWorker(store, limits), aWorker(store, limits)];
      const entered = await Promise.all(Array.from({ length: uses }, (_, i) => workers[i % 3]!.enter()));
      for (const one of entered) if ('end' in one) await one.end('answered');
      return entered.filter((one) => 'end' in one).length;
    };
    expect(await started(3)).toBe(3);
    await advance(1);
    expect(await started(4)).toBe(2);
    expect(await aWorker(store, limits).enter()).toMatchObject({
      open: {
        by: 'operator',
        reason: 'The operator allows 5 requests a day (UTC) to this platform, which are used up.',
      },
      waitMs: 11 * HOUR_MS,
    });
    const run = createRouteCommands(store, routesWith(GENEROUS));
    expect(await run({ command: 'list', args: [], options: {} })).toContain('until 2026-11-27T00:00:00.000Z');
    // Closing the breaker does not add to the number.
    await run({ command: 'resume', args: ['page'], options: {} });
    expect(await started(3)).toBe(0);
    await advance(11);
    // One goes first, as after any pause.
    expect(await started(1)).toBe(1);
    expect(await started(9)).toBe(4);
  });

  it('a day without a number is not counted', async () => {
    const store = memoryBreakerStore();
    const count = vi.spyOn(store, 'countStart');
    await aWorker(store, {}).enter();
    expect(count).not.toHaveBeenCalled();
  });
});

describe('jobs', () => {
  const { fetchAudio, withService } = audioHarness('real');

  it(
    'beyond the number of a day wait in the server on two workers, and show why and until when',
    { timeout: 180_000 },
    async () => {
      const limits = { ...GENEROUS, startsPerDay: 3 };
      const taskQueue = `number-${randomUUID()}`;
      // Another process would have a connection of its own.
      const env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
      const activities = {
        records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
        fetch: { fetchAudio },
      };
      const other = await startWorkers({ env, bundle: await loadWorkflows(), activities, limits, taskQueue });
      await withService(
        async (client, _queue, breakers) => {
          const jobs = Array.from({ length: 8 }, () => anAudioJob());
          const handles = await Promise.all(
            jobs.map((job) =>
              client.workflow.start(audio, {
                ...{ workflowId: job.subjectId, taskQueue, args: [job], memo: { [MEMO_JOB]: job } },
              }),
            ),
          );
          const gateway = createJobGateway(client, taskQueue, breakers);
          const waiting = await until(async () => {
            const all = await Promise.all(jobs.map((job) => gateway.status(job)));
            const held = all.filter((one) => one.state === 'running' && one.progress?.until !== undefined);
            return held.length === 5 && all.every((one) => one.state !== 'running' || held.includes(one))
              ? held
              : undefined;
          }, PATIENCE);
          const midnight = Math.ceil(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
          for (const one of waiting) {
            const { progress } = one as Extract<typeof one, { state: 'running' }>;
            expect(progress?.reason).toContain('The operator allows 3 requests a day (UTC)');
            expect(Math.abs(Date.parse(progress?.until ?? '') - midnight)).toBeLessThan(5_000);
          }
          expect(fetchAudio).toHaveBeenCalledTimes(3);
          await Promise.all(handles.map((handle) => handle.terminate().catch(() => undefined)));
        },
        { limits, taskQueue },
      );
      await other.stop();
      await env.teardown();
    },
  );

  it('outside the hours show when these begin', { timeout: 180_000 }, async () => {
    const beginMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 2 * HOUR_MS;
    const hours = `${clockOf(beginMs)}-${clockOf(beginMs + HOUR_MS)}`;
    const job = anAudioJob();
    await withService(
      async (client, taskQueue, breakers) => {
        const options = { workflowId: job.subjectId, taskQueue, args: [job] as [typeof job] };
        const handle = await client.workflow.start(audio, { ...options, memo: { [MEMO_JOB]: job } });
        const gateway = createJobGateway(client, taskQueue, breakers);
        const progress = await until(async () => {
          const status = await gateway.status(job);
          return status.state === 'running' && status.progress?.until !== undefined ? status.progress : undefined;
        }, PATIENCE);
        expect(progress).toMatchObject({ stage: 'waiting', reason: expect.stringContaining(hours) as string });
        expect(Math.abs(Date.parse(progress.until ?? '') - beginMs)).toBeLessThan(5_000);
        expect(fetchAudio).not.toHaveBeenCalled();
        await handle.terminate();
      },
      { limits: { ...GENEROUS, hours } },
    );
  });
});

it('jobs wait for 30 days instead of 26 hours if the operator limits a platform', () => {
  const waitOf = (env: Record<string, string>) => routeNamesOf(routesOf(loadConfig(env))).maxWaitMs ?? MAX_WAIT_MS;
  expect(waitOf({})).toBe(26 * HOUR_MS);
  for (const name of ['VIDNET_HOURS', 'IMGNET_HOURS'])
    expect(waitOf({ [name]: '22:00-06:00' })).toBe(30 * 24 * HOUR_MS);
  for (const name of ['VIDNET_STARTS_PER_DAY', 'IMGNET_STARTS_PER_DAY'])
    expect(waitOf({ [name]: '10' })).toBe(30 * 24 * HOUR_MS);
});
