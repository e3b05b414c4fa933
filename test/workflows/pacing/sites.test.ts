import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { beforeEach, expect, it, vi } from 'vitest';
import { createJobGateway } from '../../../api/jobs.ts';
import { MEMO_JOB } from '../../../contract/jobs.ts';
import type { MediaJob, MediaPage } from '../../../contract/kinds/media.ts';
import type { JobResult } from '../../../contract/records.ts';
import type { RouteLimits } from '../../../runtime/pacing.ts';
import { media } from '../../../workflows/media.ts';
import { aResult, refusal } from '../../helpers/audio-harness.ts';
import { until } from '../../helpers/until.ts';
import { workflowBench } from '../../helpers/workflow-bench.ts';
import { anAudioJob } from '../../helpers/workflow-run.ts';

const { withService } = workflowBench('real');
const limits: RouteLimits = { maxAtOnce: 1, startsPerMinute: 6_000, firstPauseSeconds: 4, maxPauseSeconds: 900 };
const fetchMedia = vi.fn<(job: { page: MediaPage }) => Promise<JobResult>>();
const activities = {
  records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
  fetch: { fetchMedia },
};
beforeEach(() => void fetchMedia.mockReset().mockResolvedValue(aResult));

function aJob(site: string): MediaJob {
  const page = { url: `https://${site}/${randomUUID()}`, format: 'audio' } as const;
  const mediaId = randomUUID().replaceAll('-', '');
  return { ...anAudioJob(), type: 'media', mediaId, subjectId: `media/${mediaId}`, parameters: { page, site } };
}
const start = (client: Client, taskQueue: string, job: MediaJob): Promise<WorkflowHandle> =>
  client.workflow.start(media, {
    ...{ workflowId: job.subjectId, taskQueue, args: [job] },
    memo: { [MEMO_JOB]: job },
  });
const callsOf = (job: MediaJob): number =>
  fetchMedia.mock.calls.filter(([{ page }]) => page.url === job.parameters.page.url).length;

it('a site that is busy makes its own jobs wait, and no other site’s', async () => {
  const [first, second, elsewhere] = [aJob('a.example'), aJob('a.example'), aJob('b.example')];
  let release = (): void => undefined;
  fetchMedia.mockImplementationOnce(() => new Promise((resolve) => (release = () => resolve(aResult))));
  await withService({ activities, limits }, async (client, taskQueue) => {
    const busy = await start(client, taskQueue, first);
    await until(() => callsOf(first) === 1);
    const waits = await start(client, taskQueue, second);
    await (await start(client, taskQueue, elsewhere)).result();
    // It has been turned away, and tries by itself.
    await until(async () => (await waits.fetchHistory()).events?.some((event) => event.timerStartedEventAttributes));
    expect(callsOf(second)).toBe(0);
    release();
    await Promise.all([busy.result(), waits.result()]);
  });
  expect([first, second, elsewhere].map(callsOf)).toEqual([1, 1, 1]);
});

it('a site that refuses makes its own jobs wait, who say why and until when, and no other site’s', async () => {
  const [first, second, elsewhere] = [aJob('c.example'), aJob('c.example'), aJob('d.example')];
  fetchMedia.mockRejectedValueOnce(refusal('rate_limited'));
  await withService({ activities, limits }, async (client, taskQueue, pauseOf) => {
    const jobs = createJobGateway(client, taskQueue, pauseOf);
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
    for (const handle of [refused, other]) expect((await handle.describe()).memo ?? {}).not.toHaveProperty('waiting');
  });
  expect([first, second].map(callsOf)).toEqual([2, 1]);
});
