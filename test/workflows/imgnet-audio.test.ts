import { failureFor } from '../../contract/failures.ts';
import { expect, it } from 'vitest';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import { JobError } from '../../runtime/job-error.ts';
import { imgnetAudio } from '../../workflows/jobs/imgnet-audio.ts';
import { media } from '../../workflows/jobs/media.ts';
import { imgnetHarness } from '../helpers/workflow-harness.ts';
import { aPostAudioJob } from '../helpers/jobs.ts';

const { fetch, records, outcomeOf, run } = imgnetHarness('skipping');
const result = { durationSeconds: 12, files: [{ name: 'a-1.m4a', sizeBytes: 1, sha256: 'x' }] };
const made = { state: 'made', result } as const;
const stale = { state: 'stale', failure: failureFor('mediaLinksExpired') } as const;

it('uses fresh content of another job', async () => {
  const job = aPostAudioJob();
  records.findFreshContent.mockResolvedValue('01JD5Z3K6VQ0W8R9T2X4Y6B8CD');
  fetch.fetchImgnetAudio.mockResolvedValue(made);
  expect(await run(imgnetAudio, job)).toBeUndefined();
  const { recordId, mediaId: shortcode } = job;
  const order = { recordId, contentsId: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', shortcode };
  expect(fetch.fetchImgnetAudio).toHaveBeenCalledExactlyOnceWith(order);
  expect(fetch.triggerSnapshot).not.toHaveBeenCalled();
  expect(outcomeOf(job)).toEqual({ status: 'success', result });
});

it('collects the content if none is fresh', async () => {
  const job = aPostAudioJob();
  fetch.fetchImgnetAudio.mockResolvedValue(made);
  expect(await run(imgnetAudio, job)).toBeUndefined();
  expect(fetch.triggerSnapshot.mock.calls.map(([order]) => order.request)).toEqual([job.parameters.post]);
  expect(fetch.fetchImgnetAudio.mock.calls[0]?.[0].contentsId).toBe(job.recordId);
});

it.each([
  ['another job', '01JD5Z3K6VQ0W8R9T2X4Y6B8CD'],
  ['its own', undefined],
])('collects anew, by a snapshot of its own, when the links of the content of %s have expired', async (_case, id) => {
  const job = aPostAudioJob();
  records.findFreshContent.mockResolvedValue(id);
  fetch.fetchImgnetAudio.mockResolvedValueOnce(stale).mockResolvedValue(made);
  expect(await run(imgnetAudio, job)).toBeUndefined();
  const parts = fetch.triggerSnapshot.mock.calls.map(([order]) => order.part);
  expect(parts).toEqual(id === undefined ? ['content-1', 'content-2'] : ['content-1']);
  expect(fetch.fetchImgnetAudio.mock.calls.at(-1)?.[0].contentsId).toBe(job.recordId);
  expect(outcomeOf(job)).toEqual({ status: 'success', result });
});

it('the files of a post are fetched by its content, too, which is collected anew when its links have expired', async () => {
  const { parameters, ...job } = aPostAudioJob();
  const [mediaId, page] = [
    '4e'.repeat(16),
    { url: 'https://www.instagram.com/p/DAbCdEfGhIj/', format: 'video' },
  ] as const;
  const files = { ...job, type: 'media', mediaId, parameters: { page, ...parameters } } as const;
  fetch.fetchImgnetFiles.mockResolvedValueOnce(stale).mockResolvedValue(made);
  expect(await run(media, files)).toBeUndefined();
  expect(fetch.triggerSnapshot).toHaveBeenCalledTimes(2);
  const { shortcode } = parameters.post;
  expect(fetch.fetchImgnetFiles).toHaveBeenLastCalledWith({
    recordId: job.recordId,
    contentsId: job.recordId,
    shortcode,
  });
  expect(outcomeOf(files)).toEqual({ status: 'success', result });
});

it('fails if its own collection has expired links', async () => {
  const job = aPostAudioJob();
  records.findFreshContent.mockResolvedValue('01JD5Z3K6VQ0W8R9T2X4Y6B8CD');
  fetch.fetchImgnetAudio.mockResolvedValue(stale);
  expect(await run(imgnetAudio, job)).toBeDefined();
  expect(fetch.triggerSnapshot).toHaveBeenCalledTimes(2);
  expect(fetch.fetchImgnetAudio).toHaveBeenCalledTimes(3);
  expect(outcomeOf(job)).toEqual({ status: 'failed', failure: stale.failure });
});

it('retries a temporary failure of the media host without another collection', async () => {
  const job = aPostAudioJob();
  const failure = toApplicationFailure(
    new JobError({ code: 'upstream_error', message: 'The host could not deliver.' }),
  );
  fetch.fetchImgnetAudio.mockRejectedValueOnce(failure).mockRejectedValueOnce(failure).mockResolvedValue(made);
  expect(await run(imgnetAudio, job)).toBeUndefined();
  expect(fetch.triggerSnapshot).toHaveBeenCalledTimes(1);
  expect(fetch.fetchImgnetAudio).toHaveBeenCalledTimes(3);
});

it('fails with the failure of the post', async () => {
  const job = aPostAudioJob();
  fetch.storeContent.mockRejectedValue(
    toApplicationFailure(new JobError({ code: 'removed', message: 'The post is gone.' })),
  );
  expect(await run(imgnetAudio, job)).toBeDefined();
  expect(outcomeOf(job)).toMatchObject({ status: 'failed', failure: { code: 'removed' } });
});
