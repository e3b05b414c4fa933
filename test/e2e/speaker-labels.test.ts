import { Client, Connection } from '@temporalio/client';
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  speakerLabelsResultSchema,
  type SpeakerLabelsBody,
  type SpeakerLabelsResult,
} from '../../contract/kinds/speaker-labels.ts';
import type { Transcript } from '../../contract/kinds/transcript.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { CALLERS_BY_ADDRESS, from, TestService, type Answered } from '../helpers/service.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';
import { until } from '../helpers/until.ts';

const PATH = '/api/transcriptspeakerid';
/** The shortest talk of two voices, as another video: hearing words takes as long as the talk. */
const SHORT_TALK = 'a short talk.m4a';
const speech = useSpeechTools();
let service: TestService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  const garden = fileURLToPath(new URL('../../local/sandbox/catalogue/media/garden/140.m4a', import.meta.url));
  const mediaDir = join(speech.folder, 'media');
  await mkdir(mediaDir);
  await copyFile(garden, join(mediaDir, SHORT_TALK));
  // Windows so short that a talk has several, and one slot, so that some are done while others wait.
  service = await TestService.start({
    mediaDir,
    env: { ...CALLERS_BY_ADDRESS, SPEECH_ENGINE: 'whisper', SPEECH_WINDOW_SECONDS: '10', MAX_SPEECH_WINDOWS: '1' },
  });
  receiver = await startWebhookReceiver();
}, 20 * 60_000);
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const ask = (id: string, more: Record<string, unknown> = {}, headers = {}): Promise<Answered<SpeakerLabelsResult>> =>
  service.request('POST', PATH, { body: { transcript_with_speaker_id: id, ...more }, headers });

/** Asks once, and then looks until it has ended. */
async function labelled(id: string): Promise<SpeakerLabelsBody> {
  await ask(id);
  const { body } = await until(
    async () => {
      const answer = await service.request<SpeakerLabelsResult>('GET', `${PATH}/${id}`);
      return answer.status === 200 ? answer : undefined;
    },
    { within: 180_000, what: `the speaker labels of ${id}` },
  );
  if (body.status !== 'success') throw new Error(JSON.stringify(body));
  return body;
}

const speakersOf = ({ data }: SpeakerLabelsBody): string[] => [
  ...new Set(data.transcriptsWithTimeStamps.map(({ speaker }) => speaker)),
];
/** The talks of two voices are the ordinary videos. */
const talk = (index: number): Promise<{ id: string; transcript_speaker_cost: string | null; media_id: string }> =>
  service.finishedAudio(service.videoId('ordinary', index));
const remains = async (): Promise<string[]> => [
  ...(await readdir(join(service.dataDir, 'speech'))),
  ...(await service.filesOnDisk()).work,
];

describe('speaker labels', () => {
  it('of a talk tell two voices apart, for ten callers by one job, and are delivered as they are answered', async () => {
    // The shortest talk.
    const audio = await service.finishedAudio(service.videoId('automatic_captions'));
    const hooks = Array.from({ length: 10 }, (_, index) => `${receiver.url}/${audio.id}/${String(index)}`);
    const answers = await Promise.all(hooks.map((hook, n) => ask(audio.id, { include_webhook: hook }, from(n))));
    for (const { status, body } of answers) {
      expect(status).toBe(202);
      expect(speakerLabelsResultSchema.parse(body)).toEqual(body);
      expect(body).toMatchObject({
        status: 'pending',
        message: 'Transcription in progress',
        transcript_speaker_id: audio.id,
        media_id: audio.media_id,
        transcript_speaker_cost: audio.transcript_speaker_cost,
      });
    }
    expect(new Set(answers.map(({ body }) => 'download_id' in body && body.download_id)).size).toBe(1);

    const labels = await labelled(audio.id);
    expect(speakerLabelsResultSchema.parse(labels)).toEqual(labels);
    expect(speakersOf(labels)).toEqual(['Speaker 1', 'Speaker 2']);
    expect(labels).toMatchObject({
      transcript_speaker_cost: audio.transcript_speaker_cost,
      data: { language: 'en', engine: 'whisper' },
    });
    const posts = await until(() => {
      const own = receiver.posts.filter(({ path }) => path.includes(audio.id));
      return own.length === 10 ? own : undefined;
    });
    for (const post of posts) {
      expect(JSON.parse(post.body)).toEqual(labels);
      expect(post.headers).toMatchObject({
        'x-webhook-endpoint': 'transcriptspeakerid',
        'x-webhook-original-status': '200',
        'x-webhook-download-id': audio.id,
      });
    }
    expect(await remains()).toEqual([]);
  }, 240_000);

  it('of silence are an empty list that costs nothing', async () => {
    const audio = await service.finishedAudio(service.videoId('silent'));
    const labels = await labelled(audio.id);
    expect(labels).toMatchObject({
      status: 'success',
      message: 'No speech was found in the audio.',
      transcript_speaker_cost: '0.000',
      data: { transcriptsWithTimeStamps: [], duration: 0, message: 'No speech was found in the audio.' },
    });
    expect((await ask(audio.id)).body).toEqual(labels);
  }, 120_000);

  it('of music are an empty list, and its transcript says that there were no captions', async () => {
    const body = { vidnet_video_id: service.videoId('music'), language: 'en', mode: 'auto' };
    const transcript = await until(
      async () => {
        const answer = await service.request<Transcript>('POST', '/api/transcripts', { body });
        return answer.status === 200 ? answer.body : undefined;
      },
      { within: 120_000, what: 'the transcript of music' },
    );
    expect([transcript.video.transcripts, transcript.track.kind]).toEqual(['', 'speech']);
    expect(transcript.source).toMatchObject({ kind: 'speech', reason: 'The video has no captions.', cost: '0.005' });
  }, 150_000);

  it('have a failure that names the reason, and are tried anew when asked for again', async () => {
    const audio = await talk(1);
    const folder = join(service.dataDir, 'files', audio.id);
    const [name = ''] = await readdir(folder);
    const { size } = await stat(join(folder, name));
    await writeFile(join(folder, name), Buffer.alloc(size));
    const first = await until(async () => {
      const answer = await ask(audio.id);
      return answer.status === 202 ? answer : undefined;
    });
    const id = 'download_id' in first.body ? first.body.download_id : undefined;
    const failed = await until(async () => {
      const { body } = await service.request<SpeakerLabelsResult>('GET', `${PATH}/${audio.id}`);
      return body.status === 'failed' ? body : undefined;
    });
    expect(failed).toMatchObject({ code: 'internal', download_id: id, transcript_speaker_cost: '0.000' });
    expect(failed).toMatchObject({ message: expect.stringMatching(/damaged/) as string });
    const again = await ask(audio.id);
    expect(again.status).toBe(202);
    expect('download_id' in again.body && again.body.download_id).not.toBe(id);
  }, 120_000);

  it('are refused by the field for a language that the speech engine of the worker does not know', async () => {
    const { id } = await talk(2);
    const { status, body } = await ask(id, { language: 'tlh' });
    expect([status, body]).toMatchObject([400, { code: 'invalid_input', details: [{ path: 'language' }] }]);
  }, 120_000);

  it('survive the sudden end of the worker: windows that are done are not done again', async () => {
    const { id: video } = service.sandbox.catalogue.find(({ title }) => title === SHORT_TALK)!;
    const audio = await service.finishedAudio(video);
    const started = await ask(audio.id);
    expect(started.status).toBe(202);
    await until(
      async () => {
        const { body } = await ask(audio.id);
        if (body.status === 'success') throw new Error('it ended too soon');
        return 'progress' in body && body.progress?.stage === 'transcribing' && (body.progress.items ?? 0) > 0;
      },
      { within: 120_000, what: 'the first window' },
    );
    service.stack.kill('worker', 'SIGKILL');
    expect(speakersOf(await labelled(audio.id))).toEqual(['Speaker 1', 'Speaker 2']);
    const windows = await windowRuns(`speaker_labels/${audio.id}`);
    expect(windows.length).toBeGreaterThan(1);
    // One slot: one window or more were done, one was under way. Which of them came first is up to the queue.
    expect(windows.filter((runs) => runs === 1).length).toBeGreaterThan(0);
    expect(windows.filter((runs) => runs > 1).length).toBeLessThanOrEqual(1);
    expect(await remains()).toEqual([]);
  }, 300_000);

  it('can be cancelled while they are made', async () => {
    // A third talk of several windows.
    const audio = await service.finishedAudio(service.videoId('regional_captions'));
    const { body } = await ask(audio.id);
    const id = 'download_id' in body ? (body.download_id ?? '') : '';
    await until(
      async () => {
        const now = (await ask(audio.id)).body;
        return 'progress' in now && now.progress?.stage === 'transcribing';
      },
      { within: 120_000, what: 'the first window' },
    );
    await fetch(`${service.stack.restUrl}/downloads/${id}`, { method: 'DELETE' });
    const ended = await until(async () => {
      const { body: now } = await service.request<SpeakerLabelsResult>('GET', `${PATH}/${audio.id}`);
      return now.status === 'failed' ? now : undefined;
    });
    expect(ended).toMatchObject({ code: 'cancelled' });
    await until(async () => (await remains()).length === 0);
  }, 240_000);
});

/** How often each window of a job was begun. */
async function windowRuns(workflowId: string): Promise<number[]> {
  const connection = await Connection.connect({ address: service.stack.temporalAddress });
  try {
    const { events = [] } = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
    const ids = (events ?? [])
      .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'transcribeWindow')
      .map((event) => String(event.eventId));
    return ids.map((id) => {
      const start = (events ?? []).find(
        (event) => String(event.activityTaskStartedEventAttributes?.scheduledEventId) === id,
      );
      return start?.activityTaskStartedEventAttributes?.attempt ?? 0;
    });
  } finally {
    await connection.close();
  }
}
