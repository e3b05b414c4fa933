import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { MediaJob } from '../../contract/kinds/media.ts';
import { media } from '../../workflows/jobs/media.ts';
import { audioHarness, refusal } from '../helpers/workflow-harness.ts';
import { failureOf } from '../helpers/promises.ts';
import { GENEROUS } from '../helpers/breakers.ts';
import { anAudioJob } from '../helpers/jobs.ts';

// This test has a file, and so a server, of its own: the test server skips no time after a workflow has failed.
const { claimJob, finishJob, nowMs, withService } = audioHarness();

it('fails a job with the refusal after 26 hours', { timeout: 120_000 }, async () => {
  const startMs = await nowMs();
  const hours: number[] = [];
  finishJob.mockImplementation(async () => void hours.push(((await nowMs()) - startMs) / 3_600_000));
  const page = { url: 'https://slow.example/a', format: 'audio' } as const;
  const mediaId = '0123456789abcdef0123456789abcdef';
  const subject = { type: 'media', mediaId, subjectId: `media/${mediaId}` } as const;
  const job: MediaJob = { ...anAudioJob(), ...subject, parameters: { page, site: 'slow.example' } };
  const activities = {
    records: { claimJob, finishJob },
    fetch: { fetchMedia: () => Promise.reject(refusal('rate_limited')) },
  };
  await withService(
    async (client, taskQueue) => {
      const running = client.workflow.execute(media, { workflowId: job.subjectId, taskQueue, args: [job] });
      expect(await failureOf(running)).toBeInstanceOf(WorkflowFailedError);
    },
    { activities, limits: { ...GENEROUS, firstPauseSeconds: 900 } },
  );
  expect(finishJob.mock.lastCall?.[0].outcome).toEqual({
    status: 'failed',
    failure: { code: 'rate_limited', message: 'It is rate_limited.' },
  });
  expect(hours[0]).toBeGreaterThan(25.8);
  expect(hours[0]).toBeLessThan(26.1);
});
