import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ADMISSION_DEFAULTS } from '../../api/admission-queue.ts';
import { transcriptSchema } from '../../contract/kinds/transcript.ts';
import type { TranscriptJob } from '../../contract/kinds/transcript-request.ts';
import { wholeComment, type TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { vidnetFailedResultSchema, vidnetPendingResultSchema } from '../../contract/http/job-answers.ts';
import { aTranscriptJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  for (const fake of Object.values(facades.jobs)) fake.mockClear();
});

const facts = (videoId: string): TranscriptFacts => ({
  video: { videoId, link: `https://video.example/watch?v=${videoId}`, title: 'Tea', durationSeconds: 61, viewCount: 5 },
  track: { language: 'en-GB', kind: 'manual', name: 'English (UK)' },
  lines: [
    { startSeconds: 0.5, durationSeconds: 1.25, text: 'Hello <there>' },
    { startSeconds: 4, durationSeconds: 2, text: 'and goodbye.' },
  ],
});

async function finishedTranscript(job: TranscriptJob = aTranscriptJob()): Promise<DownloadRecord> {
  await facades.contents.putFacts(job.recordId, facts(job.mediaId));
  return keepJob(facades.deps.records, job, { status: 'success', result: { durationSeconds: 61 } });
}

const failedTranscript = (job = aTranscriptJob()): Promise<DownloadRecord> =>
  keepJob(facades.deps.records, job, {
    status: 'failed',
    failure: { code: 'no_captions', message: 'There are no captions in `xx`. There are: en.' },
  });

const get = (path: string, init?: RequestInit): Promise<Response> => fetch(facades.url + path, init);
const request = (body: object) => facades.post('/api/transcripts', JSON.stringify(body));

describe('a request for a transcript', () => {
  it('waits 25 s for a new job by default', async () => {
    const answer = await request({ vidnet_video_id: 'aaaaaaaaaaa', language: 'en' });
    expect(vidnetPendingResultSchema.strict().parse(answer.body)).toMatchObject({ status: 'pending', cost: '0.003' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([202, '30']);
    expect(facades.jobs.waitFor).toHaveBeenCalledWith(
      { subjectId: 'captions/aaaaaaaaaaa/en' },
      25_000,
      facades.deps.stopping,
    );
    const headers = { Prefer: 'wait=0' };
    await get('/api/transcripts', {
      method: 'POST',
      headers,
      body: '{"vidnet_video_id":"aaaaaaaaaab","language":"en"}',
    });
    expect(facades.jobs.waitFor).toHaveBeenCalledTimes(1);
  });

  it('joins a running job and adds its webhook', async () => {
    const job = aTranscriptJob();
    facades.jobs.start.mockResolvedValueOnce({ running: job, runId: 'run-7' });
    const answer = await request({
      vidnet_video_id: job.mediaId,
      language: 'en',
      include_webhook: 'https://example.com/hook',
    });
    expect(answer.body).toMatchObject({ status: 'pending', download_id: job.recordId });
    expect(facades.jobs.subscribe.mock.calls).toEqual([
      [{ subjectId: job.subjectId, runId: 'run-7' }, 'https://example.com/hook', 'anonymous'],
    ]);
  });

  it('is answered with the result if the running job closed before it accepted the webhook', async () => {
    const job = aTranscriptJob();
    facades.jobs.start.mockResolvedValueOnce({ running: job, runId: 'run-7' });
    facades.jobs.subscribe.mockImplementationOnce(async () => {
      await finishedTranscript(job);
      return false;
    });
    facades.jobs.start.mockResolvedValueOnce('closed');
    const body = { vidnet_video_id: job.mediaId, language: 'en', include_webhook: 'https://example.com/hook' };
    const answer = await request(body);
    expect([answer.status, answer.body['status']]).toEqual([200, 'ok']);
  });

  it('starts the next job if the previous one has failed but not closed yet', async () => {
    const failed = aTranscriptJob();
    await failedTranscript(failed);
    facades.jobs.start.mockResolvedValueOnce({ running: failed, runId: 'run-7' });
    const answer = await request({ vidnet_video_id: failed.mediaId, language: 'en' });
    expect(facades.jobs.waitFor).toHaveBeenCalledWith({ subjectId: failed.subjectId, runId: 'run-7' }, 5_000);
    expect(answer.body).toMatchObject({ status: 'pending' });
    expect(answer.body['download_id']).not.toBe(failed.recordId);
  });

  it('does not block other requests while it waits for a job to close', async () => {
    let close: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const failed = await Promise.all(
      Array.from({ length: ADMISSION_DEFAULTS.concurrency }, async () => {
        const job = aTranscriptJob();
        await failedTranscript(job);
        return job;
      }),
    );
    facades.jobs.waitFor.mockImplementation((_, waitMs) => (waitMs === 5_000 ? closed : Promise.resolve()));
    onTestFinished(() => void facades.jobs.waitFor.mockResolvedValue());
    for (const running of failed) facades.jobs.start.mockResolvedValueOnce({ running, runId: 'run-7' });
    const waiting = failed.map(({ mediaId }) => request({ vidnet_video_id: mediaId, language: 'en' }));
    await expect.poll(() => facades.jobs.waitFor.mock.calls.length).toBe(failed.length);
    const startedMs = performance.now();
    const other = await request({ vidnet_video_id: aTranscriptJob().mediaId, language: 'en' });
    expect([other.status, performance.now() - startedMs < ADMISSION_DEFAULTS.lateAfterMs]).toEqual([202, true]);
    close();
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([202]));
  });

  it('starts nothing if the transcript is finished', async () => {
    const record = await finishedTranscript();
    const answer = await request({ vidnet_video_id: record.mediaId, language: 'EN' });
    expect(transcriptSchema.strict().parse(answer.body).download.id).toBe(record.id);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('starts another job with comments, at another price', async () => {
    const record = await finishedTranscript();
    const answer = await request({ vidnet_video_id: record.mediaId, language: 'en', include_comments: true });
    expect(answer.body).toMatchObject({ status: 'pending', cost: '0.005' });
  });

  it.each([
    [{ language: 'x'.repeat(200) }, 'language'],
    [{ language: '' }, 'language'],
    [{ language: 'not a language' }, 'language'],
    [{ language: 7 }, 'language'],
    [{ include_comments: 'yes' }, 'include_comments'],
    [{ vidnet_video_id: '../../../..' }, 'vidnet_video_id'],
  ])('with %j is refused', async (change, path) => {
    const answer = await request({ vidnet_video_id: 'aaaaaaaaaaa', language: 'en', ...change });
    expect(answer.status).toBe(400);
    expect((answer.body as unknown as ErrorBody).details?.[0]?.path).toBe(path);
  });

  it.each([
    ['EN', 'en'],
    ['pt-br', 'pt-BR'],
    ['xx', 'xx'],
  ])('in %s is one in %s', async (requested, language) => {
    await request({ vidnet_video_id: 'bbbbbbbbbbb', language: requested });
    expect(facades.jobs.start.mock.calls[0]?.[1].subjectId).toBe(`captions/bbbbbbbbbbb/${language}`);
  });
});

describe('a stored transcript', () => {
  it('has the body of the first answer, over REST and tRPC', async () => {
    const { id, mediaId } = await finishedTranscript();
    const body: unknown = await (await get(`/api/transcripts/${id}`)).json();
    expect(await facades.rpc.transcripts.get.query({ download_id: id })).toEqual(body);
    expect((await request({ vidnet_video_id: mediaId, language: 'en' })).body).toEqual(body);
    expect(facades.jobs.start).not.toHaveBeenCalled();
    expect(body).toEqual({
      status: 'ok',
      video: {
        vidnet_id: mediaId,
        link: `https://video.example/watch?v=${mediaId}`,
        title: 'Tea',
        ...{ description: null, publishedAt: null, likeCount: null, commentCount: null },
        ...{ channelId: null, channelName: null },
        duration: '00:01:01',
        viewCount: 5,
        transcriptsWithTimeStamps: [
          { dur: '1.25', text: 'Hello <there>', start: '0.5' },
          { dur: '2', text: 'and goodbye.', start: '4' },
        ],
        transcripts: 'Hello <there> and goodbye.',
      },
      track: { language: 'en-GB', kind: 'manual', name: 'English (UK)' },
      download: {
        id,
        vidnet_video_id: mediaId,
        type: 'captions',
        cost: '0.003',
        status: 'success',
        created_at: '2026-11-21T09:30:00.123456Z',
      },
    });
  });

  it('reports that it is pending or has failed', async () => {
    const pending = await keepJob(facades.deps.records, aTranscriptJob());
    const first = await get(`/api/transcripts/${pending.id}`);
    expect([first.status, vidnetPendingResultSchema.parse(await first.json()).download_id]).toEqual([202, pending.id]);
    const failed = await failedTranscript();
    const second = await get(`/api/transcripts/${failed.id}`);
    expect(vidnetFailedResultSchema.strict().parse(await second.json())).toMatchObject({
      code: 'no_captions',
      cost: '0.000',
    });
    expect(second.status).toBe(200);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('contains its comments, however many pieces they are stored in', async () => {
    const job = aTranscriptJob({ parameters: { language: 'en', includeComments: true } });
    await facades.contents.putFacts(job.recordId, facts(job.mediaId));
    const list = { recordId: job.recordId, name: 'comments' as const };
    await facades.contents.putPiece({ ...list, number: 1 }, [wholeComment({ id: 'a', text: 'First', likes: 0 })]);
    await facades.contents.putPiece({ ...list, number: 2 }, [
      wholeComment({ id: 'b', text: 'Re', author: 'Ann', reply_to: 'a' }),
    ]);
    const lists = { comments: { pieces: 2, items: 2 } };
    const { id } = await keepJob(facades.deps.records, job, { status: 'success', result: { lists } });
    const body = transcriptSchema.parse(await (await get(`/api/transcripts/${id}`)).json());
    const unknown = { author_id: null, published_at: null };
    expect(body.video.comments).toEqual([
      { id: 'a', text: 'First', likes: 0, reply_to: null, ...unknown, author: null },
      { id: 'b', author: 'Ann', text: 'Re', likes: null, reply_to: 'a', ...unknown },
    ]);
    expect(await facades.rpc.transcripts.get.query({ download_id: id })).toEqual(body);
  });

  it.each(['01JD5Z3K6VQ0W8R9T2X4Y6B8CD', 'nonsense'])('is not found as %s', async (id) => {
    expect((await get(`/api/transcripts/${id}`)).status).toBe(404);
    expect((await get(`/api/transcripts/${id}.srt`)).status).toBe(404);
  });

  it.each([
    ['srt', 'application/x-subrip; charset=utf-8', '1\n00:00:00,500 --> 00:00:01,750\nHello <there>\n'],
    ['vtt', 'text/vtt; charset=utf-8', 'WEBVTT\n\n00:00:00.500 --> 00:00:01.750\nHello &lt;there&gt;\n'],
    ['txt', 'text/plain; charset=utf-8', 'Hello <there>\n\nand goodbye.\n'],
  ] as const)('is exported as .%s', async (format, contentType, beginning) => {
    const { id, mediaId } = await finishedTranscript();
    const response = await get(`/api/transcripts/${id}.${format}`);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${mediaId}.en-GB.${format}"`);
    expect(text.startsWith(beginning)).toBe(true);
    expect((await facades.rpc.transcripts.export.query({ download_id: id, format })).text).toBe(text);
  });

  it('has no file while it is pending or if it failed', async () => {
    const pending = await keepJob(facades.deps.records, aTranscriptJob());
    const failed = await failedTranscript();
    const statuses = [pending.id, failed.id].map(async (id) => (await get(`/api/transcripts/${id}.srt`)).status);
    expect(await Promise.all(statuses)).toEqual([409, 404]);
    expect((await get(`/api/transcripts/${(await finishedTranscript()).id}.exe`)).status).toBe(404);
  });
});
