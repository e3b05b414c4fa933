import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { unavailable } from '../../api/job-gateway.ts';
import { MEMO_JOB, type JobInput } from '../../contract/job-input.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { aResult, audioHarness, refusal } from './workflow-harness.ts';
import { memoryBreakerStore, type RouteLimits } from './breakers.ts';
import { until } from './until.ts';
import { anAudioJob } from './jobs.ts';

const limits: RouteLimits = { maxAtOnce: 1, startsPerMinute: 6_000, firstPauseSeconds: 600, maxPauseSeconds: 900 };
const AT_ONCE = 50;
const LOOKED_AT = 20;
const WATCHED_SECONDS = 5;

/** Does something with each, some at once. */
async function each<One>(all: readonly One[], act: (one: One) => Promise<unknown>): Promise<void> {
  const left = [...all];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Tests that so many jobs cost nothing while they wait. */
export function waitingJobs(count: number, timeoutMs: number): void {
  const { claimJob, finishJob, fetchAudio, withService } = audioHarness('real');

  describe(`${String(count)} jobs that wait for a slot or for a circuit breaker`, () => {
    it('make no step, and cost no database operations of their own', { timeout: timeoutMs }, async () => {
      const store = memoryBreakerStore();
      let refuse = (): void => undefined;
      fetchAudio.mockImplementationOnce(
        () => new Promise((_resolve, reject) => (refuse = () => reject(refusal('rate_limited')))),
      );
      fetchAudio.mockResolvedValue(aResult);
      const jobs = Array.from({ length: count }, () => anAudioJob());
      await withService(
        async (client, taskQueue, breakers) => {
          await each(jobs, (job) => start(client, taskQueue, job));
          await until(() => claimJob.mock.calls.length >= count, { within: timeoutMs });
          // Those that were started last: the first ones may be handed back when the circuit breaker opens.
          const handles = jobs.slice(-LOOKED_AT).map(({ subjectId }) => client.workflow.getHandle(subjectId));
          await until(async () => (await Promise.all(handles.map(isQueued))).every(Boolean));
          for (const isPaused of [false, true]) {
            if (isPaused) {
              refuse();
              await until(() => breakers.of('page').open(), { what: 'the open circuit breaker' });
            }
            const before = await lengthsAtRest(handles);
            const [operationsBefore, sinceMs] = [store.operations(), performance.now()];
            await delay(WATCHED_SECONDS * 1000);
            const operations = store.operations() - operationsBefore;
            // None while the circuit breaker is closed, one in five seconds while it is open.
            const seconds = (performance.now() - sinceMs) / 1000;
            expect(operations).toBeLessThanOrEqual(isPaused ? Math.ceil(seconds / 5) + 1 : 0);
            expect(await lengthsOf(handles)).toEqual(before);
            expect(fetchAudio).toHaveBeenCalledTimes(1);
          }
          expect(finishJob).not.toHaveBeenCalled();
          await each(jobs, ({ subjectId }) => client.workflow.getHandle(subjectId).terminate());
        },
        { limits, store },
      );
    });
  });
}

/** Again, if so many at once are too much for the server. */
const start = (client: Client, taskQueue: string, job: JobInput): Promise<WorkflowHandle> =>
  until(
    () =>
      client.workflow
        .start(audio, {
          ...{ workflowId: job.subjectId, workflowIdConflictPolicy: 'USE_EXISTING', taskQueue, args: [job] },
          memo: { [MEMO_JOB]: job },
        })
        .catch((error: unknown) => {
          if (unavailable(error) === error) throw error;
          return undefined;
        }),
    { what: `the start of ${job.subjectId}` },
  );

async function isQueued(handle: WorkflowHandle): Promise<boolean> {
  return ((await handle.describe()).raw.pendingActivities ?? []).length === 1;
}

/** Of their histories: a signal, a timer or a task makes one longer. */
function lengthsOf(handles: readonly WorkflowHandle[]): Promise<number[]> {
  return Promise.all(handles.map(async (handle) => (await handle.describe()).historyLength));
}

/** What a pause sets in motion has come to rest when two looks that are apart see the same. */
function lengthsAtRest(handles: readonly WorkflowHandle[]): Promise<number[]> {
  return until(
    async () => {
      const first = await lengthsOf(handles);
      await delay(2_000);
      const second = await lengthsOf(handles);
      return second.every((length, index) => length === first[index]) && second;
    },
    { what: 'jobs at rest' },
  );
}
