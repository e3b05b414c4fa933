import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import {
  type SpeakerLabelsJob,
  audioRequiredSchema,
  speakerLabelsFailedSchema,
  speakerLabelsPendingSchema,
  speakerLabelsSchema,
} from '../../contract/kinds/speaker-labels.ts';
import type { ImgnetAudioRecord } from '../../contract/kinds/imgnet-audio.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { downloadListSchema, downloadResultSchema } from '../../contract/kinds/kinds.ts';
import { WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { aLabelsJob, keepAudio, keepLabels, SILENCE } from '../helpers/kept-audio.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  for (const fake of Object.values(facades.jobs)) fake.mockClear();
});

const UNKNOWN = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const hook = { include_webhook: 'https://example.com/hook' };
const request = (id: string, more: object = {}) =>
  facades.post('/api/transcriptspeakerid', JSON.stringify({ transcript_with_speaker_id: id, ...more }));
const get = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(`${facades.url}/api/transcriptspeakerid/${path}`, init);
const bodyOf = async (path: string): Promise<unknown> => (await get(path)).json();
const failLabels = (job: SpeakerLabelsJob): Promise<DownloadRecord> =>
  keepJob(facades.deps.records, job, {
    status: 'failed',
    failure: { code: 'unsupported', message: 'The engine knows English only.' },
  });

describe('a request for speaker labels', () => {
  it('may be for an audio whose first file has no sound', async () => {
    const audio = await keepAudio(facades, { type: 'imgnet_audio' }, 'silence first');
    const answer = await request(audio.id);
    expect(answer).toMatchObject({ status: 202, body: { transcript_speaker_cost: '0.012' } });
    const shown = (await (await fetch(`${facades.url}/downloads/${audio.id}`)).json()) as { data: ImgnetAudioRecord };
    const names = (shown.data.file_urls ?? []).map((link) => new URL(link).pathname.split('/').at(-1));
    expect(names).toEqual([`${audio.mediaId}-1.m4a`, `${audio.mediaId}.m4a`]);
    expect(shown.data.audio_url).toBe(shown.data.file_urls?.[0]);
  });

  it('starts a job for the audio, at the price of its started minutes, and does not wait', async () => {
    const audio = await keepAudio(facades);
    const answer = await request(audio.id, { ...hook, nonsense: true });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([202, '30']);
    const { download_id, ...body } = speakerLabelsPendingSchema.strict().parse(answer.body);
    expect(body).toEqual({
      status: 'pending',
      message: 'Transcription in progress',
      transcript_speaker_id: audio.id,
      media_id: audio.mediaId,
      transcript_speaker_cost: '0.012',
    });
    expect(facades.jobs.start.mock.calls).toMatchObject([
      [
        'speakerLabels',
        {
          recordId: download_id,
          type: 'speaker_labels',
          subjectId: `speaker_labels/${audio.id}`,
          mediaId: audio.mediaId,
          price: 12,
          parameters: { audioId: audio.id },
          webhookUrl: hook.include_webhook,
        },
        { requestId: expect.any(String), delayMs: 0 },
      ],
    ]);
    expect(facades.jobs.waitFor).not.toHaveBeenCalled();
  });

  it('passes on the parameters of the caller, which make another subject', async () => {
    const audio = await keepAudio(facades);
    await keepLabels(facades, aLabelsJob(audio));
    const answer = await request(audio.id, { language: 'EN', speakers: { min: 2, max: 3 } });
    expect(answer.status).toBe(202);
    expect(facades.jobs.start.mock.calls[0]?.[1]).toMatchObject({
      subjectId: `speaker_labels/${audio.id}/language-en/min-2/max-3`,
      parameters: { audioId: audio.id, language: 'en', minSpeakers: 2, maxSpeakers: 3 },
    });
  });

  it('waits for the requested time', async () => {
    const audio = await keepAudio(facades);
    facades.jobs.waitFor.mockImplementationOnce(async () => {
      const started = facades.jobs.start.mock.calls[0]?.[1];
      await keepLabels(facades, started as SpeakerLabelsJob);
    });
    const response = await fetch(`${facades.url}/api/transcriptspeakerid`, {
      method: 'POST',
      headers: { Prefer: 'wait=7' },
      body: JSON.stringify({ transcript_with_speaker_id: audio.id }),
    });
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body['status']]).toEqual([200, 'success']);
    const [{ subjectId }, waitMs] = facades.jobs.waitFor.mock.calls[0]!;
    expect(subjectId).toBe(`speaker_labels/${audio.id}`);
    expect(waitMs).toBeGreaterThan(5_000);
    expect(waitMs).toBeLessThanOrEqual(7_000);
  });

  it('starts nothing if the transcript is finished, over REST and tRPC', async () => {
    const audio = await keepAudio(facades);
    const record = await keepLabels(facades, aLabelsJob(audio));
    const answer = await request(audio.id);
    expect(answer.status).toBe(200);
    expect(speakerLabelsSchema.strict().parse(answer.body)).toEqual({
      status: 'success',
      transcript_speaker_id: audio.id,
      media_id: audio.mediaId,
      transcript_speaker_cost: '0.012',
      download_id: record.id,
      data: {
        transcriptsWithTimeStamps: [
          { text: 'Shall we <begin>?', start: 0.5, duration: 1.25, speaker: 'Speaker 1' },
          { text: 'Yes.', start: 2, duration: 0.5, speaker: 'Speaker 2' },
        ],
        language: 'en',
        duration: 61.2,
        engine: 'sherpa',
      },
    });
    const { speakers } = facades.rpc;
    expect(await speakers.request.mutate({ transcript_with_speaker_id: audio.id })).toEqual(answer.body);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('is a free success if there is no speech', async () => {
    const audio = await keepAudio(facades);
    await keepLabels(facades, aLabelsJob(audio), SILENCE);
    const { body } = await request(audio.id);
    expect(speakerLabelsSchema.parse(body)).toMatchObject({
      message: 'No speech was found in the audio.',
      transcript_speaker_cost: '0.000',
      data: { transcriptsWithTimeStamps: [], duration: 0, message: 'No speech was found in the audio.' },
    });
  });

  it('starts a job that waits, with the webhook, while the audio is being downloaded', async () => {
    for (const type of ['audio', 'imgnet_audio'] as const) {
      facades.jobs.start.mockClear();
      const audio = await keepJob(facades.deps.records, anAudioJob({ type }));
      const answer = await request(audio.id, hook);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([202, '30']);
      expect(audioRequiredSchema.strict().parse(answer.body)).toEqual({
        status: 'pending',
        message: expect.stringMatching(/audio download is in progress.*required.*starts by itself/),
        transcript_speaker_id: audio.id,
      });
      expect(await bodyOf(audio.id)).toEqual(answer.body);
      const [[workflow, job] = []] = facades.jobs.start.mock.calls;
      expect(workflow).toBe('speakerLabels');
      expect(job).toMatchObject({
        price: 6,
        webhookUrl: hook.include_webhook,
        subjectId: `speaker_labels/${audio.id}`,
      });
      expect(job?.parameters).toEqual({ audioId: audio.id, awaits: { subjectId: audio.subjectId } });
    }
  });

  it('continues when the audio is downloaded, if it waits', async () => {
    const job = anAudioJob();
    await keepJob(facades.deps.records, job);
    facades.jobs.waitFor.mockImplementationOnce(async () => {
      await keepAudio(facades, job);
    });
    const body = await facades.rpc.speakers.request.mutate({
      transcript_with_speaker_id: job.recordId,
      wait_seconds: 5,
    });
    expect(body).toMatchObject({ status: 'pending', message: 'Transcription in progress' });
    expect(facades.jobs.start).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['was refused', 'The video is private.'],
    // The record is still pending, and nothing else would end it.
    ['was terminated', 'The job was stopped by an operator.'],
  ])('reports why the audio is missing if its job %s', async (what, reason) => {
    const job = anAudioJob();
    const isTerminated = what === 'was terminated';
    const failure = { code: 'private', message: 'The video is private.' } as const;
    await keepJob(facades.deps.records, job, isTerminated ? undefined : { status: 'failed', failure });
    if (isTerminated) facades.jobs.status.mockResolvedValueOnce({ state: 'gone' });
    const answer = await request(job.recordId);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'audio_failed', error: `The audio could not be downloaded: ${reason}`, id: job.recordId },
    });
    await expect(
      facades.rpc.speakers.request.mutate({ transcript_with_speaker_id: job.recordId }),
    ).rejects.toMatchObject({ data: { code: 'BAD_REQUEST', body: answer.body } });
  });

  it('is finished for a post without audio', async () => {
    const job = anAudioJob({ type: 'imgnet_audio' });
    const audio = await keepJob(facades.deps.records, job, { status: 'success', result: {} });
    const answer = await request(audio.id, hook);
    expect(answer.status).toBe(200);
    expect(speakerLabelsSchema.strict().parse(answer.body)).toEqual({
      status: 'success',
      message: 'No speech was found in the audio.',
      transcript_speaker_id: audio.id,
      media_id: audio.mediaId,
      transcript_speaker_cost: '0.000',
      data: {
        transcriptsWithTimeStamps: [],
        language: 'und',
        duration: 0,
        message: 'No speech was found in the audio.',
      },
    });
    expect(await bodyOf(audio.id)).toEqual(answer.body);
    expect(await (await get(`${audio.id}.vtt`)).text()).toBe('WEBVTT\n');
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('joins a running job and adds its webhook', async () => {
    const job = aLabelsJob(await keepAudio(facades));
    facades.jobs.start.mockResolvedValueOnce({ running: job, runId: 'run-7' });
    const answer = await request(job.parameters.audioId, hook);
    expect(answer).toMatchObject({ status: 202, body: { download_id: job.recordId } });
    expect(facades.jobs.subscribe.mock.calls).toEqual([
      [{ subjectId: job.subjectId, runId: 'run-7' }, hook.include_webhook, 'anonymous'],
    ]);
    expect(await bodyOf(job.parameters.audioId)).toEqual(answer.body);
  });

  it('starts a new job after a failure', async () => {
    const audio = await keepAudio(facades);
    const failed = await failLabels(aLabelsJob(audio));
    const answer = await request(audio.id);
    expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } });
    expect(answer.body['download_id']).not.toBe(failed.id);
    expect(facades.jobs.start).toHaveBeenCalledTimes(1);
  });

  it('is answered with the stored transcript if the file was removed, and otherwise refused', async () => {
    const audio = await keepAudio(facades);
    await keepLabels(facades, aLabelsJob(audio, { minSpeakers: 2 }));
    await facades.deps.files.remove({ recordId: audio.id, name: `${audio.mediaId}.m4a` });
    expect(await request(audio.id, { speakers: { min: 2 } })).toMatchObject({
      status: 200,
      body: { status: 'success' },
    });
    const refused = await request(audio.id);
    expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(refused.body['error']).toMatch(/download it again/);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it.each([UNKNOWN, 'captions', 'labels'])('is answered 404 for %s, which is not an audio', async (what) => {
    const { records } = facades.deps;
    const id =
      what === 'captions'
        ? (await keepJob(records, anAudioJob({ type: 'captions' }))).id
        : what === 'labels'
          ? (await keepLabels(facades, aLabelsJob(await keepAudio(facades)))).id
          : what;
    expect(await request(id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it.each([
    [{ transcript_with_speaker_id: 'nonsense' }, 'transcript_with_speaker_id'],
    [{ transcript_with_speaker_id: UNKNOWN.toLowerCase() }, 'transcript_with_speaker_id'],
    [{ transcript_with_speaker_id: undefined }, 'transcript_with_speaker_id'],
    [{ speakers: { min: 0 } }, 'speakers.min'],
    [{ speakers: { min: 1.5 } }, 'speakers.min'],
    [{ speakers: { exact: '2' } }, 'speakers.exact'],
    [{ speakers: { max: 21 } }, 'speakers.max'],
    [{ speakers: { min: 3, max: 2 } }, 'speakers.min'],
    [{ speakers: { exact: 2, max: 3 } }, 'speakers.exact'],
    [{ speakers: 2 }, 'speakers'],
    [{ language: 'not a language' }, 'language'],
    [{ include_webhook: 7 }, 'include_webhook'],
  ])('with %j is refused', async (change, path) => {
    const { id } = await keepAudio(facades);
    const answer = await request(id, change);
    const { code, details } = answer.body as unknown as ErrorBody;
    expect([answer.status, code, details?.map((one) => one.path)]).toEqual([400, 'invalid_input', [path]]);
    const input = { transcript_with_speaker_id: id, ...change } as { transcript_with_speaker_id: string };
    await expect(facades.rpc.speakers.request.mutate(input)).rejects.toMatchObject({ data: { body: answer.body } });
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('is refused with a forbidden webhook, also if it would start nothing', async () => {
    const pending = await keepJob(facades.deps.records, anAudioJob());
    const answer = await request(pending.id, { include_webhook: 'http://localhost/hook' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'webhook_target_forbidden' } });
  });
});

describe('stored speaker labels', () => {
  it('have the body of the first answer, by the ID of the audio and of the job, over REST and tRPC', async () => {
    const audio = await keepAudio(facades);
    const first = await request(audio.id);
    const jobId = String(first.body['download_id']);
    const job = facades.jobs.start.mock.calls[0]?.[1] as SpeakerLabelsJob;
    expect(await bodyOf(audio.id)).toEqual(first.body);
    expect(await bodyOf(jobId)).toEqual(first.body);
    await keepLabels(facades, job);
    const { body } = await request(audio.id);
    expect(speakerLabelsSchema.parse(body).download_id).toBe(jobId);
    for (const id of [audio.id, jobId]) {
      expect(await bodyOf(id)).toEqual(body);
      expect(await facades.rpc.speakers.get.query({ id })).toEqual(body);
    }
    expect(facades.jobs.start).toHaveBeenCalledTimes(1);
  });

  it('of an audio are the newest success, or else the newest job, with any parameters', async () => {
    const audio = await keepAudio(facades);
    const shown = async (): Promise<unknown> => ((await bodyOf(audio.id)) as { download_id: string }).download_id;
    // IDs contain their time, as in production.
    const [first, second, third, fourth] = ['0', '1', '2', '3'].map((digit, index) => ({
      ...aLabelsJob(audio, index === 0 ? {} : { maxSpeakers: index }),
      recordId: `${audio.id.slice(0, 25)}${digit}`.replace(/^./, '7'),
    })) as [SpeakerLabelsJob, SpeakerLabelsJob, SpeakerLabelsJob, SpeakerLabelsJob];
    await failLabels(second);
    await failLabels(first);
    expect(await shown()).toBe(second.recordId);
    await keepLabels(facades, third);
    await keepJob(facades.deps.records, fourth);
    expect(await shown()).toBe(third.recordId);
    // A job that started earlier may end later.
    await keepLabels(facades, { ...first, recordId: first.recordId.replace(/^7/, '6') });
    expect(await shown()).toBe(third.recordId);
  });

  it('report the failure of the job', async () => {
    const { id } = await failLabels(aLabelsJob(await keepAudio(facades)));
    const response = await get(id);
    expect(response.status).toBe(200);
    expect(speakerLabelsFailedSchema.strict().parse(await response.json())).toMatchObject({
      status: 'failed',
      code: 'unsupported',
      download_id: id,
      transcript_speaker_cost: '0.000',
    });
    expect((await get(`${id}.txt`)).status).toBe(404);
  });

  it('are not found if nobody requested them, and report the state of the audio', async () => {
    const { records } = facades.deps;
    const pending = await keepJob(records, anAudioJob());
    const failure = { code: 'private', message: 'The video is private.' } as const;
    const failed = await keepJob(records, anAudioJob(), { status: 'failed', failure });
    const ready = await keepAudio(facades);
    const ids = [ready.id, UNKNOWN, 'nonsense', pending.id, failed.id];
    expect(await Promise.all(ids.map(async (id) => (await get(id)).status))).toEqual([404, 404, 404, 202, 400]);
    const files = ids.map(async (id) => (await get(`${id}.srt`)).status);
    expect(await Promise.all(files)).toEqual([404, 404, 404, 409, 400]);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it.each([
    ['srt', 'application/x-subrip', '1\n00:00:00,500 --> 00:00:01,750\nSpeaker 1: Shall we <begin>?\n\n2\n'],
    ['vtt', 'text/vtt', 'WEBVTT\n\n00:00:00.500 --> 00:00:01.750\n<v Speaker 1>Shall we &lt;begin&gt;?\n\n'],
    ['txt', 'text/plain', 'Speaker 1: Shall we <begin>?\n\nSpeaker 2: Yes.\n'],
    ['rttm', 'text/plain', 'SPEAKER MEDIA 1 0.500 1.250 <NA> <NA> Speaker_1 <NA> <NA>\nSPEAKER MEDIA 1 2.000 0.500 '],
  ] as const)('are exported as .%s', async (format, contentType, beginning) => {
    const audio = await keepAudio(facades);
    const { id, mediaId } = await keepLabels(facades, aLabelsJob(audio));
    const response = await get(`${audio.id}.${format}`);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, `${contentType}; charset=utf-8`]);
    const name = `${mediaId}.speakers.${format}`;
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(text.replaceAll(mediaId, 'MEDIA').startsWith(beginning)).toBe(true);
    expect(await (await get(`${id}.${format}`)).text()).toBe(text);
    expect(await facades.rpc.speakers.export.query({ id, format })).toEqual({ name, contentType, text });
  });

  it('have no file while the job runs or for an unknown format', async () => {
    const audio = await keepAudio(facades);
    const { id } = await keepJob(facades.deps.records, aLabelsJob(audio));
    const early = await get(`${id}.vtt`);
    expect([early.status, early.headers.get('retry-after')]).toEqual([409, '30']);
    expect(await early.json()).toMatchObject({ code: 'not_ready', id });
    expect((await get(`${audio.id}.exe`)).status).toBe(404);
  });
});

describe('the job behind speaker labels', () => {
  it('is a download that can be read, listed and cancelled', async () => {
    const job = { ...aLabelsJob(await keepAudio(facades)), startedBy: WITHOUT_KEY };
    const record = await keepJob(facades.deps.records, job);
    const download = await (await fetch(`${facades.url}/downloads/${record.id}`)).json();
    expect(downloadResultSchema.parse(download).data).toEqual({
      id: record.id,
      media_id: record.mediaId,
      type: 'speaker_labels',
      status: 'pending',
      created_at: '2026-11-21T09:30:00.123456Z',
      cost: '0.012',
      response: null,
      ...{ duration: null, transcript_speaker_id: null, transcript_speaker_cost: null },
      ...{ audio_url: null, file_urls: null },
    });
    const query = `type=speaker_labels&media_id=${record.mediaId}`;
    const list: unknown = await (await fetch(`${facades.url}/api/downloads?${query}`)).json();
    expect(downloadListSchema.parse(list).downloads.map(({ id }) => id)).toEqual([record.id]);
    facades.jobs.waitFor.mockImplementationOnce(async () => {
      const failure = { code: 'cancelled', message: 'The job was cancelled.' } as const;
      await keepJob(facades.deps.records, job, { status: 'failed', failure });
    });
    const cancelled = await fetch(`${facades.url}/downloads/${record.id}`, { method: 'DELETE' });
    expect([cancelled.status, await cancelled.json()]).toMatchObject([200, { data: { status: 'failed' } }]);
    expect(facades.jobs.cancel).toHaveBeenCalledWith({ subjectId: job.subjectId, recordId: record.id });
  });
});
