import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { jobDetailsSchema, type JobDetails } from '../../contract/http/job-details.ts';
import { spokenWordsSchema } from '../../contract/kinds/speaker-labels.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { aLabelsJob, keepAudio, keepLabels, LABELS, SILENCE } from '../helpers/kept-audio.ts';
import { aTranscriptJob, keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(facades.url + path);
  return { status: answer.status, body: await answer.json() };
}
async function detailsOf(id: string): Promise<JobDetails> {
  const { status, body } = await get(`/api/downloads/${id}/job`);
  expect(status).toBe(200);
  return jobDetailsSchema.strict().parse(body);
}

describe('GET /api/downloads/{downloadId}/result', () => {
  it('returns the answer of the endpoint of its kind, and starts nothing', async () => {
    const audio = await keepAudio(facades);
    const labels = await keepLabels(facades, aLabelsJob(audio));
    expect(await get(`/api/downloads/${labels.id}/result`)).toEqual(await get(`/api/transcriptspeakerid/${labels.id}`));
    const { status, body } = await get(`/api/downloads/${audio.id}/result`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { id: audio.id, status: 'success', duration: '00:01:01' } });
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('answers 202 while the job runs, and 200 with the reason when it has failed', async () => {
    facades.jobs.status.mockResolvedValueOnce({ state: 'running', progress: { stage: 'fetching', percent: 12 } });
    const running = await keepJob(facades.deps.records, aTranscriptJob());
    const pending = await get(`/api/downloads/${running.id}/result`);
    expect(pending).toMatchObject({ status: 202, body: { status: 'pending', progress: { percent: 12 } } });
    const failure = { code: 'no_captions', message: 'There are none.' } as const;
    const failed = await keepJob(facades.deps.records, aTranscriptJob(), { status: 'failed', failure });
    expect(await get(`/api/downloads/${failed.id}/result`)).toMatchObject({
      status: 200,
      body: { status: 'failed', code: 'no_captions' },
    });
  });

  it.each([ulid(), 'nothing'])('answers 404 for %s', async (id) => {
    for (const part of ['result', 'job']) {
      expect(await get(`/api/downloads/${id}/${part}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });
});

describe('GET /api/downloads/{downloadId}/job', () => {
  it('returns the files, the workflow, and the request that repeats the job', async () => {
    const audio = await keepAudio(facades);
    vi.spyOn(facades.deps.speechLanguages, 'speed').mockResolvedValueOnce(0.25);
    const { finished_at: finishedAt, ...details } = await detailsOf(audio.id);
    expect(Date.parse(finishedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(details).toEqual({
      download_id: audio.id,
      title: null,
      failure: null,
      request: { method: 'POST', path: '/api/downloads/audio', body: { vidnet_video_id: audio.mediaId } },
      files: [{ name: `${audio.mediaId}.m4a`, size_bytes: 5, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      transcription_seconds: 16,
      workflow: {
        id: audio.subjectId,
        url: `http://temporal.example/namespaces/default/workflows/${encodeURIComponent(audio.subjectId)}`,
      },
    });
  });

  it('returns a title, as lists do and records do not', async () => {
    const result = { durationSeconds: 5, title: 'Tea & rain' };
    const { id, mediaId } = await keepJob(facades.deps.records, aTranscriptJob(), { status: 'success', result });
    expect(await detailsOf(id)).toMatchObject({ title: result.title, transcription_seconds: null });
    const list = await get(`/api/downloads?media_id=${mediaId}`);
    expect(list.body).toMatchObject({ downloads: [{ id, title: result.title }] });
    const { body } = await get(`/downloads/${id}`);
    expect((body as { data: object }).data).not.toHaveProperty('title');
  });

  it('returns the fault of a failure', async () => {
    const failure = { code: 'upstream_timeout', message: 'No answer.' } as const;
    const failed = await keepJob(facades.deps.records, anAudioJob(), { status: 'failed', failure });
    expect(await detailsOf(failed.id)).toMatchObject({ failure: { ...failure, fault: 'upstream' }, files: [] });
    const running = await keepJob(facades.deps.records, anAudioJob());
    expect(await detailsOf(running.id)).toMatchObject({ failure: null, finished_at: null });
  });

  const post = { shortcode: 'DAbCdEfGhIj', kind: 'reel' };
  const audioId = ulid();
  it.each<[Partial<JobInput>, string | undefined, object | undefined]>([
    [{ type: 'vidnet_video' }, '/api/downloads/video', { vidnet_video_id: 'MEDIA' }],
    [
      { type: 'list', mediaId: '@tea', parameters: { channel: { kind: 'handle', name: 'tea' } } },
      '/api/channel/profile',
      { url: 'https://www.youtube.com/@tea' },
    ],
    [
      { type: 'captions', parameters: { language: 'de', includeComments: true } },
      '/api/transcripts',
      { vidnet_video_id: 'MEDIA', language: 'de', include_comments: true },
    ],
    [{ type: 'imgnet_profile', mediaId: 'tea' }, '/api/imgnet/profile', { url: '@tea' }],
    [
      { type: 'imgnet_post', parameters: { post, profilePrice: 0 } },
      '/api/imgnet/content',
      { url: 'https://www.instagram.com/reel/DAbCdEfGhIj/' },
    ],
    [
      { type: 'imgnet_audio', parameters: { post } },
      '/api/imgnet/audio',
      { url: 'https://www.instagram.com/reel/DAbCdEfGhIj/' },
    ],
    [{ type: 'imgnet_list_posts', parameters: { part: 'posts' } }, undefined, undefined],
    [{ type: 'upload', parameters: { title: 'a.wav', contentType: 'audio/wav' } }, undefined, undefined],
    [
      { type: 'media', parameters: { page: { url: 'https://example.com/talk', format: 'video' } } },
      '/api/downloads/media',
      { url: 'https://example.com/talk', format: 'video' },
    ],
    [
      { type: 'media_info', parameters: { page: { url: 'https://example.com/talk', subject: 'page' } } },
      '/api/media/info',
      { url: 'https://example.com/talk' },
    ],
    [
      { type: 'speaker_labels', parameters: { audioId, language: 'en', maxSpeakers: 3 } },
      '/api/transcriptspeakerid',
      { transcript_with_speaker_id: audioId, language: 'en', speakers: { max: 3 } },
    ],
    [
      { type: 'speaker_labels', parameters: { audioId, minSpeakers: 2, maxSpeakers: 2 } },
      '/api/transcriptspeakerid',
      { transcript_with_speaker_id: audioId, speakers: { exact: 2 } },
    ],
  ])('returns the request that repeats %o', async (job, path, body) => {
    const { id, mediaId } = await keepJob(facades.deps.records, anAudioJob({ subjectId: ulid(), ...job }));
    const { request } = await detailsOf(id);
    const expected = JSON.parse(JSON.stringify({ method: 'POST', path, body }).replaceAll('MEDIA', mediaId)) as unknown;
    expect(request).toEqual(path === undefined ? null : expected);
  });
});

describe('GET /api/transcriptspeakerid/{id}/words', () => {
  it('returns the start of each word and the voice segments', async () => {
    const audio = await keepAudio(facades);
    const { id } = await keepLabels(facades, aLabelsJob(audio));
    const { status, body } = await get(`/api/transcriptspeakerid/${id}/words`);
    expect(status).toBe(200);
    expect(spokenWordsSchema.strict().parse(body)).toEqual({
      status: 'success',
      media_id: audio.mediaId,
      segments: LABELS.segments.map(({ wordStarts, ...segment }) => ({ ...segment, word_starts: wordStarts })),
      turns: [
        { start: 0.5, duration: 1.25, speaker: 'Speaker 1' },
        { start: 2, duration: 0.5, speaker: 'Speaker 2' },
      ],
    });
    expect(await facades.rpc.speakers.words.query({ id })).toEqual(body);
    expect((await get(`/api/transcriptspeakerid/${audio.id}/words`)).body).toEqual(body);
  });

  it('returns the confidence of each word if the engine reported it', async () => {
    const [first, second] = LABELS.segments;
    const segments = [{ ...first!, wordConfidences: [0.9, 0.5, 0.25] }, second!];
    const { id } = await keepLabels(facades, aLabelsJob(await keepAudio(facades)), { ...LABELS, segments });
    const { body } = await get(`/api/transcriptspeakerid/${id}/words`);
    const [certain, other] = spokenWordsSchema.strict().parse(body).segments;
    expect(certain).toMatchObject({ confidence: 0.55, word_confidences: [0.9, 0.5, 0.25] });
    expect(Object.keys(other!)).toEqual(['text', 'start', 'duration', 'speaker', 'word_starts']);
  });

  it('returns no words if there is no speech, and 409 while the job runs', async () => {
    const silent = await keepAudio(facades);
    await keepLabels(facades, aLabelsJob(silent), SILENCE);
    expect(await get(`/api/transcriptspeakerid/${silent.id}/words`)).toMatchObject({
      status: 200,
      body: { segments: [], turns: [] },
    });
    const audio = await keepAudio(facades);
    const { id } = await keepJob(facades.deps.records, aLabelsJob(audio));
    facades.jobs.status.mockResolvedValueOnce({ state: 'running', progress: undefined });
    expect(await get(`/api/transcriptspeakerid/${id}/words`)).toMatchObject({
      status: 409,
      body: { code: 'not_ready' },
    });
  });
});
