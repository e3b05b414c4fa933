import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { audioResultSchema } from '../../contract/kinds/audio.ts';
import { createRpcClient } from '../../api/rpc-client.ts';
import { correlation, decode, probe, runTool } from '../helpers/media.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let mediaDir: string;
/** Not the default. */
const LINK_TTL_SECONDS = 5_400;
const COPIES = ['copy.mp4', 'copy.mp3', 'copy.wav', 'copy.flac', 'copy.webm', "it's -copy ü.ogg"];

beforeAll(async () => {
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const { ffmpeg } = inject('tools');
  const original = join(mediaDir, 'original.wav');
  // A sweep with a beat: unlike a tone, it correlates with nothing but itself.
  const sweep = "aevalsrc='0.5*sin(2*PI*(200*t+150*t*t))*(0.6+0.4*sin(2*PI*3*t))':d=6:s=44100";
  await runTool(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', sweep, original]);
  for (const copy of COPIES) {
    const picture = copy.endsWith('.mp4')
      ? ['-f', 'lavfi', '-i', 'testsrc=d=6:s=160x120:r=10', '-map', '0:a', '-map', '1:v']
      : [];
    await runTool(ffmpeg, ['-v', 'error', '-i', original, ...picture, join(mediaDir, copy)]);
  }
  service = await TestService.start({ mediaDir, env: { LINK_TTL_SECONDS: String(LINK_TTL_SECONDS) } });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await rm(mediaDir, { recursive: true, force: true });
});

/** A link says in whole seconds when it ends. */
function expectMadeSince(link: string, sinceMs: number): void {
  const madeMs = (Number(new URL(link).searchParams.get('Expires')) - LINK_TTL_SECONDS) * 1000;
  expect(madeMs).toBeGreaterThan(sinceMs - 1_000);
  expect(madeMs).toBeLessThanOrEqual(Date.now());
}

describe('the audio of a video', () => {
  it('is fetched once for 50 callers at a time, and answered from then on', async () => {
    const id = service.videoId('ordinary', 0);
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.requestAudio(id)));
    const accepted = answers.filter((answer) => answer.status === 202);
    const refused = answers.filter((answer) => answer.status === 409);
    expect([accepted.length, refused.length]).toEqual([1, 49]);
    const recordId = accepted[0]!.body.data.id;
    for (const { body } of refused) expect(body).toMatchObject({ error: expect.any(String), id: recordId });
    expect(accepted[0]!.body.data).toMatchObject({ status: 'pending', audio_url: null, type: 'audio', cost: '0.005' });
    expect(accepted[0]!.headers.get('retry-after')).toBe('30');

    const ended = await service.ended(recordId);
    expect(ended).toMatchObject({
      status: 'success',
      media_id: id,
      vidnet_video_id: id,
      transcript_speaker_id: recordId,
    });
    expect((await service.served(id)).complete_media_bodies).toBe(1);

    const againMs = Date.now();
    const again = await service.requestAudio(id);
    expect(again.status).toBe(200);
    expect(again.body.data).toMatchObject({ id: recordId, cost: '0.005', created_at: ended.created_at });
    expectMadeSince(again.body.data.audio_url!, againMs);
    expect((await service.served(id)).complete_media_bodies).toBe(1);
  });

  it('has the same body in REST, tRPC and the webhook, with links that live as long as is configured', async () => {
    const receiver = await startWebhookReceiver();
    const id = service.videoId('ordinary', 1);
    const requestedMs = Date.now();
    const ended = await service.finishedAudio(id, receiver.url);
    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    await receiver.close();
    const rpc = createRpcClient(service.stack.rpcUrl, { token: service.stack.rpcToken });
    const bodies = [
      { data: ended },
      JSON.parse(post.body) as unknown,
      await rpc.downloads.get.query({ download_id: ended.id }),
    ];
    const stable = bodies.map((body) => {
      const { data } = audioResultSchema.parse(body);
      const { audio_url, file_urls, ...rest } = data;
      expect(file_urls).toEqual([audio_url]);
      expectMadeSince(audio_url!, requestedMs);
      return { ...rest, file: new URL(audio_url!).pathname };
    });
    expect(stable[1]).toEqual(stable[0]);
    expect(stable[2]).toEqual(stable[0]);
    expect(post.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      'x-webhook-endpoint': 'downloads/audio',
      'x-webhook-original-status': '200',
      'x-webhook-download-id': ended.id,
    });
  });

  it('is the native M4A, copied and not encoded again', async () => {
    const ended = await service.finishedAudio(service.videoId('ordinary', 2));
    const response = await fetch(ended.audio_url!);
    expect(response.headers.get('content-type')).toBe('audio/mp4');
    const { published, work } = await service.filesOnDisk();
    expect(published.filter((name) => name.startsWith(ended.id))).toHaveLength(1);
    expect(work).toEqual([]);
    const facts = await probe(ended.audio_url!);
    expect(facts.streams.map((stream) => stream.codec_name)).toEqual(['aac']);
    expect(facts.container).toContain('m4a');
  });

  it('is made from a file of any format, with its duration and sound', async () => {
    const original = await decode(join(mediaDir, 'original.wav'));
    const videos = service.sandbox.catalogue.filter((video) => [...COPIES, 'original.wav'].includes(video.title));
    expect(videos).toHaveLength(COPIES.length + 1);
    const records = await Promise.all(videos.map((video) => service.finishedAudio(video.id)));
    for (const record of records) {
      expect(record.duration).toBe('00:00:06');
      expect(correlation(original, await decode(record.audio_url!))).toBeGreaterThan(0.98);
    }
  }, 60_000);

  it('of an hour is served whole', async () => {
    const ended = await service.finishedAudio(service.videoId('long'));
    expect(ended).toMatchObject({ status: 'success', duration: '01:00:00', transcript_speaker_cost: '0.360' });
  });

  it('of silence is audio too', async () => {
    expect(await service.finishedAudio(service.videoId('silent'))).toMatchObject({ status: 'success' });
  });

  it.each([
    ['private', /private/],
    ['removed', /removed/],
    ['geo_blocked', /country/],
    ['live', /live/],
    ['no_audio', /no audio/],
  ])('of a %s video fails with a plain sentence, after one attempt', async (kind, sentence) => {
    const receiver = await startWebhookReceiver();
    const id = service.videoId(kind);
    const ended = await service.finishedAudio(id, receiver.url);
    expect(ended).toMatchObject({
      status: 'failed',
      audio_url: null,
      cost: '0.000',
      response: expect.stringMatching(sentence),
    });
    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    await receiver.close();
    expect(post.headers['x-webhook-original-status']).toBe('400');
    expect(JSON.parse(post.body)).toEqual({ data: ended });
    expect((await service.served(id)).page_reads).toBeLessThanOrEqual(1);
  });

  it('is asked for anew after a failure, with a new id', async () => {
    const id = service.videoId('private');
    const first = await service.requestAudio(id);
    const second = await service.finishedAudio(id).catch(() => undefined);
    const ended = second ?? (await service.ended(first.body.data.id));
    const third = await service.finishedAudio(id);
    expect(third.id).not.toBe(ended.id);
    expect((await service.getDownload(ended.id)).body.data.status).toBe('failed');
  });

  it('comes with the answer when the caller prefers to wait', async () => {
    const answer = await service.request<{ data: { status: string } }>('POST', '/api/downloads/audio', {
      body: { vidnet_video_id: service.videoId('opus_only') },
      headers: { prefer: 'wait=30' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('preference-applied')).toBe('wait=30');
    expect(answer.body.data.status).toBe('success');
  });
});
