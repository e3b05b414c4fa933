import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import type { JobInput } from '../../../contract/jobs.ts';
import type { JobResult } from '../../../contract/records.ts';
import { routeNamesOf, type RouteLimits } from '../../../runtime/pacing.ts';
import { aResult, refusal } from '../../helpers/audio-harness.ts';
import type { impatient } from '../../helpers/impatient.ts';
import { until } from '../../helpers/until.ts';
import { anAudioJob, GENEROUS, routesWith, withWorkers } from '../../helpers/workflow-run.ts';

// On the real server: one that skips time skips none while an activity waits for a worker.
let env: TestWorkflowEnvironment;
let bundle: WorkflowBundleWithSourceMap;
const fetchAudio = vi.fn<(job: { recordId: string }) => Promise<JobResult>>();
const limits: RouteLimits = { ...GENEROUS, maxAtOnce: 1, firstPauseSeconds: 1 };

beforeAll(async () => {
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
  const workflowsPath = join(import.meta.dirname, '../../helpers/impatient.ts');
  bundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
}, 120_000);
afterAll(() => env.teardown());
beforeEach(() => void fetchAudio.mockReset());

type Start = (patienceMs: number) => Promise<{ readonly job: JobInput; readonly handle: WorkflowHandle }>;

/** @param body given a function that starts a job of that patience */
const withJobs = (body: (start: Start) => Promise<void>): Promise<void> =>
  withWorkers({ env, bundle, limits, activities: { fetch: { fetchAudio } } }, (taskQueue) =>
    body(async (patienceMs) => {
      const job = anAudioJob();
      const handle = await env.client.workflow.start<typeof impatient>('impatient', {
        ...{ workflowId: job.subjectId, taskQueue },
        args: [job, routeNamesOf(routesWith(limits)), patienceMs],
      });
      return { job, handle };
    }),
  );
const failureOf = async (handle: WorkflowHandle): Promise<unknown> => {
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  return (error as WorkflowFailedError).cause;
};
/** How often it has lost its patience, and looked whether to wait on. */
const timeoutsOf = async (handle: WorkflowHandle): Promise<number> => {
  const { events } = await handle.fetchHistory();
  return events?.filter((event) => event.activityTaskTimedOutEventAttributes).length ?? 0;
};
const callsFor = ({ recordId }: JobInput): number =>
  fetchAudio.mock.calls.filter(([call]) => call.recordId === recordId).length;

it('a job that is refused for as long as it has patience fails with the refusal', async () => {
  fetchAudio.mockRejectedValue(refusal('rate_limited'));
  await withJobs(async (start) => {
    const { job, handle } = await start(5_000);
    expect(await failureOf(handle)).toMatchObject({ message: 'It is rate_limited.', details: ['rate_limited'] });
    expect(callsFor(job)).toBeGreaterThan(1);
  });
});

it('so does one that waited in the queue of a platform which refused others all that time', async () => {
  fetchAudio.mockImplementation(() => Promise.reject(refusal('quota_exceeded', Date.now() + 100_000)));
  await withJobs(async (start) => {
    await start(60_000);
    await until(() => fetchAudio.mock.calls.length > 0);
    const startedMs = Date.now();
    const { job, handle } = await start(5_000);
    expect(await failureOf(handle)).toMatchObject({ message: 'It is quota_exceeded.', details: ['quota_exceeded'] });
    expect(Date.now() - startedMs).toBeGreaterThan(4_900);
    expect(callsFor(job)).toBe(0);
  });
});

it('one whose queue is that long waits on', async () => {
  let release = (): void => undefined;
  fetchAudio.mockImplementationOnce(() => new Promise((resolve) => (release = () => resolve(aResult))));
  fetchAudio.mockResolvedValue(aResult);
  await withJobs(async (start) => {
    const { handle: slow } = await start(60_000);
    await until(() => fetchAudio.mock.calls.length > 0);
    const { handle } = await start(2_000);
    await until(async () => (await timeoutsOf(handle)) > 0, { what: 'the end of its patience' });
    release();
    expect(await Promise.all([slow.result(), handle.result()])).toEqual([aResult, aResult]);
  });
});

it('one that has waited long, but not in refusals, waits on', async () => {
  let refuse = (): void => undefined;
  fetchAudio.mockImplementationOnce(
    () =>
      new Promise((_resolve, reject) => {
        refuse = () => reject(refusal('rate_limited', Date.now() + 15_000));
      }),
  );
  fetchAudio.mockResolvedValue(aResult);
  await withJobs(async (start) => {
    const { handle: slow } = await start(60_000);
    await until(() => fetchAudio.mock.calls.length > 0);
    // Its patience ends in the middle of the pause, and would end again ten seconds after the pause.
    const { job, handle } = await start(25_000);
    await delay(14_000);
    refuse();
    expect(await Promise.all([slow.result(), handle.result()])).toEqual([aResult, aResult]);
    expect(await timeoutsOf(handle)).toBe(1);
    expect(callsFor(job)).toBe(1);
  });
});
