import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { correlation, decode, runTool } from './media.ts';
import { TestService } from './service.ts';
import { until } from './until.ts';

export interface AudioBench {
  /** Once it is there. */
  readonly service: () => TestService;
  /** Holds `original.wav`, of which the copies are made. */
  readonly mediaDir: () => string;
  readonly copies: readonly string[];
}

/** A service whose platform has the same sound in files of these names, whose endings tell their formats. */
export function audioBench({ copies }: { copies: readonly string[] }) {
  let service: TestService;
  let mediaDir: string;
  beforeAll(async () => {
    mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
    const { ffmpeg } = inject('tools');
    const original = join(mediaDir, 'original.wav');
    // A sweep with a beat: unlike a tone, it correlates with nothing but itself.
    const sweep = "aevalsrc='0.5*sin(2*PI*(200*t+150*t*t))*(0.6+0.4*sin(2*PI*3*t))':d=6:s=44100";
    await runTool(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', sweep, original]);
    for (const copy of copies) {
      const picture = copy.endsWith('.mp4')
        ? ['-f', 'lavfi', '-i', 'testsrc=d=6:s=160x120:r=10', '-map', '0:a', '-map', '1:v']
        : [];
      await runTool(ffmpeg, ['-v', 'error', '-i', original, ...picture, join(mediaDir, copy)]);
    }
    service = await TestService.shared({ mediaDir });
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await rm(mediaDir, { recursive: true, force: true });
  });
  return { service: () => service, mediaDir: () => mediaDir, copies } satisfies AudioBench;
}

export function audioOfFormats({ service: bench, mediaDir, copies }: AudioBench): void {
  it('is made from a file of any format, with its duration and sound', async () => {
    const service = bench();
    const original = await decode(join(mediaDir(), 'original.wav'));
    const videos = service.sandbox.catalogue.filter((video) => [...copies, 'original.wav'].includes(video.title));
    expect(videos).toHaveLength(copies.length + 1);
    const records = await Promise.all(videos.map((video) => service.finishedAudio(video.id)));
    for (const record of records) {
      expect(record.duration).toBe('00:00:06');
      expect(correlation(original, await decode(record.audio_url!))).toBeGreaterThan(0.98);
    }
  });
}

const SENTENCES = {
  private: /private/,
  removed: /removed/,
  geo_blocked: /country/,
  live: /live/,
  no_audio: /no audio/,
} as const;

export function audioThatFails({ service: bench }: AudioBench, kinds: readonly (keyof typeof SENTENCES)[]): void {
  it.each(kinds)('of a %s video fails with a plain sentence, after one attempt', async (kind) => {
    const service = bench();
    const receiver = await startWebhookReceiver();
    const id = service.videoId(kind);
    const ended = await service.finishedAudio(id, receiver.url);
    expect(ended).toMatchObject({
      status: 'failed',
      audio_url: null,
      cost: '0.000',
      response: expect.stringMatching(SENTENCES[kind]) as string,
    });
    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    await receiver.close();
    expect(post.headers['x-webhook-original-status']).toBe('400');
    expect(JSON.parse(post.body)).toEqual({ data: ended });
    expect((await service.served(id)).page_reads).toBeLessThanOrEqual(1);
  });
}
