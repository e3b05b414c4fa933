import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { beforeEach, expect, it, vi } from 'vitest';
import { createJobGateway } from '../../api/job-gateway.ts';
import { MEMO_JOB } from '../../contract/job-input.ts';
import type { MediaJob, MediaPage } from '../../contract/kinds/media.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { media } from '../../workflows/jobs/media.ts';
import { aResult, refusal } from '../helpers/workflow-harness.ts';
import { GENEROUS } from '../helpers/breakers.ts';
import { until } from '../helpers/until.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const { withService } = workflowBench('real');
const limits = { ...GENEROUS, firstPauseSeconds: 10 };
const fetchMedia = vi.fn<(job: { page: MediaPage }) => Promise<JobResult>>();
const activities = {
  records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
  fetch: { fetchMedia },
};
beforeEach(() => void fetchMedia.mockReset().mockResolvedValue(aResult));

function aJob(site: string, startedBy = 'anonymous'): MediaJob {
  const page = { url: `https://${site}/${randomUUID()}`, format: 'audio' } as const;
  const mediaId = randomUUID().replaceAll('-', '');
  const subject = { type: 'media', mediaId, subjectId: `media/${mediaId}` } as const;
  return { ...anAudioJob({ startedBy }), ...subject, parameters: { page, site } };
}
const start = (client: Client, taskQueue: string, job: MediaJob): Promise<WorkflowHandle> =>
  client.workflow.start(media, {
    ...{ workflowId: job.subjectId, taskQueue, args: [job] },
    memo: { [MEMO_JOB]: job },
  });
const callsOf = (job: MediaJob): number =>
  fetchMedia.mock.calls.filter(([{ page }]) => page.url === job.parameters.page.url).length;

it('delays only the jobs of a site that refuses, which show why and until when', async () => {
  const [first, second, elsewhere] = [aJob('c.example'), aJob('c.example'), aJob('d.example')];
  fetchMedia.mockRejectedValueOnce(refusal('rate_limited'));
  await withService({ activities, limits }, async (client, taskQueue, breakers) => {
    const jobs = createJobGateway(client, taskQueue, breakers);
    const refused = await start(client, taskQueue, first);
    await until(() => callsOf(first) === 1);
    const other = await start(client, taskQueue, second);
    for (const job of [first, second]) {
      const progress = await until(async () => {
        const status = await jobs.status(job);
        return status.state === 'running' && status.progress?.until !== undefined ? status.progress : undefined;
      });
      expect(progress).toMatchObject({ stage: 'waiting', reason: 'It is rate_limited.' });
      expect(Date.parse(progress.until ?? '')).toBeGreaterThan(Date.now() - 1_000);
    }
    await (await start(client, taskQueue, elsewhere)).result();
    expect([first, second, elsewhere].map(callsOf)).toEqual([1, 0, 1]);
    await Promise.all([refused.result(), other.result()]);
  });
  expect([first, second].map(callsOf)).toEqual([2, 1]);
});

it('leaves a slot to other callers while one uses its share for slow downloads', async () => {
  const slow = ['e.example', 'e.example', 'e.example', 'f.example', 'g.example'].map((site) => aJob(site, 'greedy'));
  const small = aJob('h.example', 'another');
  const releases: (() => void)[] = [];
  fetchMedia.mockImplementation(({ page }) =>
    page.url.includes('h.example') || releases.length >= slow.length
      ? Promise.resolve(aResult)
      : new Promise((resolve) => releases.push(() => resolve(aResult))),
  );
  await withService({ activities, limits, maxFetches: 4 }, async (client, taskQueue) => {
    const handles = await Promise.all(slow.map((job) => start(client, taskQueue, job)));
    // A site may use half of the slots, and a caller all but one.
    await until(() => releases.length === 3, { what: 'the share of the caller' });
    expect(
      slow
        .slice(0, 3)
        .map(callsOf)
        .reduce((sum, calls) => sum + calls),
    ).toBeLessThanOrEqual(2);
    const startedMs = performance.now();
    await (await start(client, taskQueue, small)).result();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(releases).toHaveLength(3);
    const all = Promise.all(handles.map((handle) => handle.result()));
    await until(() => {
      for (const release of releases) release();
      return slow.every((job) => callsOf(job) === 1);
    });
    for (const release of releases) release();
    await all;
  });
});
