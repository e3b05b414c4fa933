import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { videoResultSchema, type VideoRecord, type VideoResult } from '../../contract/kinds/video.ts';
import { probe, runTool } from '../helpers/media.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let mediaDir: string;

beforeAll(async () => {
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const picture = ['-f', 'lavfi', '-i', 'testsrc=d=3:s=161x121:r=10'];
  const sound = ['-f', 'lavfi', '-i', 'sine=d=3'];
  const make = (...args: string[]): Promise<Buffer> => runTool(inject('tools').ffmpeg, ['-v', 'error', ...args]);
  await make(
    ...picture,
    ...sound,
    '-c:v',
    'libvpx-vp9',
    '-cpu-used',
    '8',
    '-deadline',
    'realtime',
    join(mediaDir, 'vp9.webm'),
  );
  await make(...picture, ...sound, '-pix_fmt', 'yuv444p', join(mediaDir, 'odd444.mp4'));
  await make(...sound, join(mediaDir, 'sound.mp3'));
  service = await TestService.shared({ mediaDir });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await rm(mediaDir, { recursive: true, force: true });
});

async function finishedVideo(videoId: string, webhook?: string): Promise<VideoRecord> {
  const body = { vidnet_video_id: videoId, ...(webhook === undefined ? {} : { include_webhook: webhook }) };
  const accepted = await service.request<VideoResult>('POST', '/api/downloads/video', { body });
  expect(accepted.status).toBe(202);
  expect(accepted.body.data).toMatchObject({ type: 'vidnet_video', status: 'pending', file_urls: null, cost: '0.010' });
  return (await service.ended(accepted.body.data.id)) as unknown as VideoRecord;
}
const added = (title: string): string => service.sandbox.catalogue.find((video) => video.title === title)!.id;
const codecs = async (link: string): Promise<string[]> =>
  (await probe(link)).streams.map((stream) => stream.codec_name).sort();

describe('the MP4 of a video', () => {
  it('has its own job beside the audio, with the best pictures and the sound copied', async () => {
    const receiver = await startWebhookReceiver();
    const id = service.videoId('ordinary', 0);
    const [video, audio] = await Promise.all([finishedVideo(id, receiver.url), service.finishedAudio(id)]);
    expect(audio.status).toBe('success');
    expect(video).toMatchObject({ status: 'success', duration: '00:00:29', media_id: id });
    expect(video.audio_url).toBeNull();
    expect(video.file_urls).toHaveLength(1);
    const link = video.file_urls![0]!;
    expect(await codecs(link)).toEqual(['aac', 'h264']);
    const head = await fetch(link, { method: 'HEAD' });
    expect(head.headers.get('content-type')).toBe('video/mp4');

    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    await receiver.close();
    expect(post.headers['x-webhook-endpoint']).toBe('downloads/video');
    const rpc = await createRpcClient(service.stack.rpcUrl, { token: service.stack.rpcToken }).downloads.get.query({
      download_id: video.id,
    });
    const stable = [{ data: video }, JSON.parse(post.body) as unknown, rpc].map((body) => {
      const { file_urls, ...rest } = videoResultSchema.parse(body).data;
      return { ...rest, file: new URL(file_urls![0]!).pathname };
    });
    expect(stable[1]).toEqual(stable[0]);
    expect(stable[2]).toEqual(stable[0]);

    const again = await service.request<VideoResult>('POST', '/api/downloads/video', { body: { vidnet_video_id: id } });
    expect(again).toMatchObject({ status: 200, body: { data: { id: video.id } } });
  });

  it('plays while it loads: the index stands before the media', async () => {
    // Fetched before, unless this test runs alone.
    const { body } = await service.request<VideoResult>('POST', '/api/downloads/video', {
      body: { vidnet_video_id: service.videoId('ordinary', 0) },
      headers: { prefer: 'wait=60' },
    });
    const video = body.data;
    const start = Buffer.from(
      await (await fetch(video.file_urls![0]!, { headers: { range: 'bytes=0-4095' } })).arrayBuffer(),
    );
    expect(start.includes('moov')).toBe(true);
  });

  it('of a video without sound is a silent MP4', async () => {
    const video = await finishedVideo(service.videoId('no_audio'));
    expect(await codecs(video.file_urls![0]!)).toEqual(['h264']);
  });

  it.each(['vp9.webm', 'odd444.mp4'])('is made from %s, so that it plays everywhere', async (title) => {
    const video = await finishedVideo(added(title));
    const link = video.file_urls![0]!;
    expect(await codecs(link)).toEqual(['aac', 'h264']);
    const args = ['-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=pix_fmt', '-of', 'csv=p=0', link];
    expect((await runTool(inject('tools').ffprobe, args)).toString().trim()).toBe('yuv420p');
  });

  it('of sound alone is a failure that says so', async () => {
    const video = await finishedVideo(added('sound.mp3'));
    expect(video).toMatchObject({ status: 'failed', file_urls: null, audio_url: null, cost: '0.000' });
    expect(video.response).toMatch(/no pictures|cannot be fetched/);
  });

  it('of a private video fails as its audio does', async () => {
    expect(await finishedVideo(service.videoId('private'))).toMatchObject({
      status: 'failed',
      audio_url: null,
      response: 'The video is private.',
    });
  });
});
