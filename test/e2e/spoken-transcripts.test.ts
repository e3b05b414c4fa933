import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transcriptSchema, type Transcript } from '../../contract/kinds/transcript.ts';
import type { AccountResult } from '../../contract/http/account-schemas.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { makeKey } from '../fuzz/key.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { TestService } from '../helpers/service.ts';
import { always, startTranscriptionServer, type TranscriptionServer } from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';

const MEDIA = new URL('../../local/sandbox/catalogue/media/tea/', import.meta.url);
const SPOKEN = 'One says this. Another says that.';
let words: TranscriptionServer;
let service: TestService;
let receiver: WebhookReceiver;
let site: RecordedSite;
beforeAll(async () => {
  words = await startTranscriptionServer({ product: 'whisper-1', instead: always(SPOKEN) });
  service = await TestService.start({ env: { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url } });
  receiver = await startWebhookReceiver();
  site = await RecordedSite.start();
  const page = (track: string) => ({
    type: 'text/html',
    body: `<!doctype html><title>Tea</title><video><source src="/tea.m4a" type="audio/mp4">${track}</video>`,
  });
  site.set('/tea.m4a', { type: 'audio/mp4', body: await readFile(new URL('140.m4a', MEDIA)) });
  site.set('/tea.vtt', { type: 'text/vtt', body: await readFile(new URL('en.vtt', MEDIA)) });
  site.set('/captioned', page('<track kind="captions" src="/tea.vtt" srclang="en" label="English">'));
  site.set('/silent', page(''));
}, 240_000);
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await site.stop();
  await words.stop();
});

async function ended(body: object, headers = {}): Promise<Transcript> {
  const started = await service.request<Transcript & { readonly download_id?: string }>('POST', '/api/transcripts', {
    body: { language: 'en', ...body },
    headers,
  });
  const id = started.body.download_id ?? started.body.download.id;
  const answer = await until(
    async () => {
      const one = await service.request<Transcript>('GET', `/api/transcripts/${id}`);
      return one.status === 200 ? one.body : undefined;
    },
    { within: 120_000, what: `the transcript ${id}` },
  );
  return transcriptSchema.parse(answer);
}
const idOf = (kind: string, index = 0) => service.videoId(kind, index);

describe('POST /api/transcripts with the mode auto', () => {
  it.each([
    ['captions by hand', 'ordinary', 'en', 'manual', 'There are captions that people made in `en`.'],
    ['automatic captions only', 'automatic_captions', 'en', 'automatic', 'There are automatic captions in `en`.'],
    ['a language in which there are captions', 'regional_captions', ['de', 'pt'], 'manual', /people made in `pt-BR`/],
    ['no captions', 'no_captions', 'en', 'speech', 'The video has no captions.'],
    [
      'captions in other languages',
      'regional_captions',
      ['de', 'fr'],
      'speech',
      /no captions in `de`, `fr`. There are: en-GB/,
    ],
  ])(
    'says how for a video with %s',
    async (_, kind, language, track, reason) => {
      const { video, track: used, source } = await ended({ vidnet_video_id: idOf(kind), language, mode: 'auto' });
      expect(used.kind).toBe(track);
      expect(source).toMatchObject({
        kind: track === 'speech' ? 'speech' : 'captions',
        reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      });
      expect(video.title).not.toBe('');
      if (track === 'speech') expect(video.transcripts).toContain('One says this.');
    },
    180_000,
  );

  it('has no text of a recording without speech, and says why it was transcribed', async () => {
    const before = words.uploads.length;
    const { video, track, source } = await ended({ vidnet_video_id: idOf('silent'), mode: 'auto' });
    expect([video.transcripts, track.kind]).toEqual(['', 'speech']);
    expect(source).toMatchObject({ kind: 'speech', reason: 'The video has no captions.', cost: '0.005' });
    expect(words.uploads.length - before).toBe(0);
  }, 180_000);

  it('reads the captions of a page of another site, and otherwise what is spoken there', async () => {
    const captioned = await ended({ url: `${site.url}/captioned`, mode: 'auto' });
    expect([captioned.video.vidnet_id, captioned.track.kind]).toEqual([null, 'manual']);
    expect(captioned.video.transcripts).toMatch(/^Welcome back/);
    const silent = await ended({ url: `${site.url}/silent`, mode: 'auto' });
    expect([silent.source?.kind, silent.video.link]).toEqual(['speech', `${site.url}/silent`]);
    expect(silent.video.transcriptsWithTimeStamps[0]?.speaker).toBe('Speaker 1');
  }, 180_000);
});

it('with the mode generate transcribes a video with captions, for one webhook and one charge, while processes are killed', async () => {
  const authorization = `Bearer ${await makeKey(service.stack, 100)}`;
  const body = { vidnet_video_id: idOf('ordinary', 2), mode: 'generate', language: undefined };
  const hook = `${receiver.url}/generate`;
  const [transcript] = await Promise.all([
    ended({ ...body, include_webhook: hook }, { authorization }),
    until(() => service.stack.processes().length > 0).then(() => service.stack.kill('worker', 'SIGKILL')),
  ]);
  expect(transcript).toMatchObject({
    track: { kind: 'speech' },
    source: { kind: 'speech' },
    download: { cost: '0.000' },
  });
  const post = await until(() => receiver.posts.find(({ path }) => path.includes('/generate')), { within: 60_000 });
  expect(JSON.parse(post.body)).toEqual(transcript);
  const { body: account } = await service.request<AccountResult>('GET', '/api/account', { headers: { authorization } });
  expect(account.entries.map(({ type }) => type).sort()).toEqual(['audio', 'speaker_labels']);
  expect([account.spent, account.reserved]).toEqual([transcript.source?.cost, '0.000']);
  // The speech is a job of its own, which other requests share.
  const speech = await service.request('POST', '/api/speech', { body: { vidnet_video_id: body.vidnet_video_id } });
  expect(speech).toMatchObject({ status: 200, body: { download_id: transcript.source?.download_id } });
  expect(receiver.posts.filter(({ path }) => path.includes('/generate'))).toHaveLength(1);
}, 240_000);

it('that is cancelled ends the transcription and the audio that it started', async () => {
  const id = idOf('ordinary', 1);
  await service.misbehave({ video: id, target: 'media', mode: 'slow', bytes_per_second: 20_000 });
  const request = { body: { vidnet_video_id: id, mode: 'generate' } };
  const { body } = await service.request<{ download_id: string }>('POST', '/api/transcripts', {
    ...request,
    headers: { prefer: 'wait=0' },
  });
  const stage = async () => {
    const { body: now } = await service.request<{ progress?: { stage: string } }>(
      'GET',
      `/api/transcripts/${body.download_id}`,
    );
    return now.progress?.stage === 'fetching' ? true : undefined;
  };
  const of = async (type: string) => {
    const { body: list } = await service.request<{ downloads: { status: string }[] }>(
      'GET',
      `/api/downloads?type=${type}&media_id=${id}`,
    );
    return list.downloads.map(({ status }) => status);
  };
  await until(async () => (await of('audio'))[0] === 'pending' && (await stage()), { within: 60_000 });
  await service.request('DELETE', `/downloads/${body.download_id}`);
  for (const type of ['captions', 'speaker_labels', 'audio'])
    await until(async () => (await of(type))[0] === 'failed', { within: 60_000, what: `the end of ${type}` });
  await service.misbehave({ video: id, mode: 'off' });
}, 180_000);
