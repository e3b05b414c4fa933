import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { MEMO_JOB, type JobInput } from '../../../contract/jobs.ts';
import type { MediaJob } from '../../../contract/kinds/media.ts';
import { loadWorkflows } from '../../../worker/workflow-bundle.ts';
import { audio } from '../../../workflows/audio.ts';
import { media } from '../../../workflows/media.ts';
import { aResult } from '../../helpers/audio-harness.ts';
import { until } from '../../helpers/until.ts';
import { anAudioJob, startWorkers } from '../../helpers/workflow-run.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
});
afterAll(() => env.teardown());

it('a worker that stops, and has a long job of another route, leaves its places to the worker after it', async () => {
  let [isDownloading, release] = [false, (): void => undefined];
  const setting = {
    ...{ env, bundle: await loadWorkflows(), taskQueue: `test-${randomUUID()}`, shutdownGraceMs: 20_000 },
    limits: { maxAtOnce: 1, startsPerMinute: 6_000, firstPauseSeconds: 4, maxPauseSeconds: 900 },
    activities: {
      records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
      fetch: {
        fetchAudio: () => Promise.resolve(aResult),
        fetchMedia: () => {
          isDownloading = true;
          return new Promise<typeof aResult>((resolve) => (release = () => resolve(aResult)));
        },
      },
    },
  };
  const start = (workflow: typeof audio | typeof media, job: JobInput) =>
    env.client.workflow.start(workflow as typeof audio, {
      ...{ workflowId: job.subjectId, taskQueue: setting.taskQueue, args: [job] },
      memo: { [MEMO_JOB]: job },
    });
  const page = { url: 'https://a.example/1', format: 'audio' } as const;
  const mediaId = randomUUID().replaceAll('-', '');
  const parameters = { page, site: 'a.example' };
  const long: MediaJob = { ...anAudioJob(), type: 'media', mediaId, subjectId: `media/${mediaId}`, parameters };

  const old = await startWorkers(setting);
  const downloading = await start(media, long);
  await until(() => isDownloading);
  const stopped = old.stop();
  const young = await startWorkers(setting);
  const quick = await start(audio, anAudioJob());
  const first = [quick.result().then(() => 'the quick job'), stopped.then(() => 'the old worker')];
  expect(await Promise.race(first)).toBe('the quick job');
  release();
  await stopped;
  await downloading.result();
  await young.stop();
});
