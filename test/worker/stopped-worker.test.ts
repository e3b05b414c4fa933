import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterEach, expect, inject, it } from 'vitest';
import type { JobInput } from '../../contract/job-input.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { audioHarness } from '../helpers/workflow-harness.ts';
import { until } from '../helpers/until.ts';
import { anAudioJob } from '../helpers/jobs.ts';

/** It takes about 24 s: two heartbeats of 12 s. A busy machine needs more. */
const WITHIN_MS = 45_000;
const { fetchAudio, withService } = audioHarness('real');
let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

async function startOtherWorker(taskQueue: string): Promise<ChildProcess> {
  const path = join(import.meta.dirname, '../helpers/worker-to-stop.ts');
  child = fork(path, [inject('temporalAddress'), taskQueue], { stdio: 'ignore' });
  expect(await once(child, 'message')).toEqual(['ready', undefined]);
  return child;
}
const start = (client: Client, taskQueue: string, job: JobInput) =>
  client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });

it('takes over the activity of a worker that was stopped, within 30 s', { timeout: 120_000 }, async () => {
  const [job, taskQueue] = [anAudioJob(), `stopped-${randomUUID()}`];
  const other = await startOtherWorker(taskQueue);
  const running = once(other, 'message');
  await withService(
    async (client) => {
      // Both workers poll: jobs are started until the other worker has one.
      const jobs = [job];
      const handles = [await start(client, taskQueue, job)];
      let isRunning = false;
      void running.then(() => (isRunning = true));
      await until(async () => {
        if (isRunning) return true;
        const next = anAudioJob();
        jobs.push(next);
        handles.push(await start(client, taskQueue, next));
        return isRunning;
      });
      other.kill('SIGSTOP');
      const stoppedMs = performance.now();
      await until(() => fetchAudio.mock.calls.length === jobs.length, { within: 110_000, what: 'all activities' });
      expect(performance.now() - stoppedMs).toBeLessThan(WITHIN_MS);
      await Promise.all(handles.map((handle) => handle.result()));
    },
    { taskQueue },
  );
});

it('does a job that starts while a worker is stopped within 30 s', { timeout: 120_000 }, async () => {
  const taskQueue = `stopped-${randomUUID()}`;
  const other = await startOtherWorker(taskQueue);
  await withService(
    async (client) => {
      other.kill('SIGSTOP');
      const startedMs = performance.now();
      await (await start(client, taskQueue, anAudioJob())).result();
      expect(performance.now() - startedMs).toBeLessThan(WITHIN_MS);
    },
    { taskQueue },
  );
});
