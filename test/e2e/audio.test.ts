import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { audioRecordSchema, type AudioResult } from '../../contract/kinds/audio.ts';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { audioBench, audioOfFormats, audioThatFails } from '../helpers/audio-bench.ts';
import { probe } from '../helpers/media.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { SHARED_LINK_TTL_SECONDS as LINK_TTL_SECONDS, type TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// The other formats and failures are in audio.long.test.ts.
const copies = ['copy.mp4', 'copy.webm', "it's -copy ü.ogg"];
const bench = audioBench({ copies });
let service: TestService;
beforeAll(() => void (service = bench.service()));

const onlyKnownFields = z.strictObject({ data: audioRecordSchema.strict() });

/** A link says in whole seconds when it ends. */
function expectMadeSince(link: string, sinceMs: number): void {
  const madeMs = (Number(new URL(link).searchParams.get('Expires')) - LINK_TTL_SECONDS) * 1000;
  expect(madeMs).toBeGreaterThan(sinceMs - 1_000);
  expect(madeMs).toBeLessThanOrEqual(Date.now());
}

describe('the audio of a video', () => {
  audioOfFormats(bench);
  audioThatFails(bench, ['private', 'no_audio']);

  it('is fetched once for 50 callers at a time, and answered from then on', async () => {
    const id = service.videoId('ordinary', 0);
    // The job must not end before all have asked.
    await service.misbehave({ video: id, target: 'media', mode: 'slow', bytes_per_second: 40_000 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.requestAudio(id)));
    const accepted = answers.filter((answer) => answer.status === 202);
    const refused = answers.filter((answer) => answer.status === 409);
    // Requests are accepted a few at a time: on a busy machine the job is done before the last of them.
    const answered = answers.filter((answer) => answer.status === 200);
    expect([accepted.length, refused.length + answered.length]).toEqual([1, 49]);
    expect(refused.length).toBeGreaterThan(0);
    const recordId = accepted[0]!.body.data.id;
    for (const { body } of answered) expect(body.data.id).toBe(recordId);
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
      // The answer as it came, of which a schema would leave out what it does not know.
      expect(onlyKnownFields.parse(body)).toEqual(body);
      const { audio_url, file_urls, ...rest } = (body as AudioResult).data;
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
    // Fetched before, unless this test runs alone.
    const { body } = await service.request<AudioResult>('POST', '/api/downloads/audio', {
      body: { vidnet_video_id: service.videoId('ordinary', 0) },
      headers: { prefer: 'wait=60' },
    });
    const ended = body.data;
    const response = await fetch(ended.audio_url!);
    expect(response.headers.get('content-type')).toBe('audio/mp4');
    const { published } = await service.filesOnDisk();
    expect(published.filter((name) => name.startsWith(ended.id))).toHaveLength(1);
    await until(async () => (await service.filesOnDisk()).work.length === 0, { what: 'an empty work folder' });
    const facts = await probe(ended.audio_url!);
    expect(facts.streams.map((stream) => stream.codec_name)).toEqual(['aac']);
    expect(facts.container).toContain('m4a');
  });

  it('of an hour is served whole', async () => {
    const ended = await service.finishedAudio(service.videoId('long'));
    expect(ended).toMatchObject({ status: 'success', duration: '01:00:00', transcript_speaker_cost: '0.360' });
    const response = await fetch(ended.audio_url!);
    const bytes = Buffer.from(await response.arrayBuffer());
    const { published } = await service.filesOnDisk();
    const kept = published.filter((name) => name.startsWith(ended.id));
    expect(kept).toHaveLength(1);
    const { size } = await stat(join(service.dataDir, 'files', kept[0]!));
    expect([response.status, response.headers.get('content-length'), bytes.length]).toEqual([200, String(size), size]);
    const file = join(bench.mediaDir(), 'hour.m4a');
    await writeFile(file, bytes);
    expect(Math.abs((await probe(file)).duration - 3600)).toBeLessThan(1);
  });

  it('of silence is audio too', async () => {
    expect(await service.finishedAudio(service.videoId('silent'))).toMatchObject({ status: 'success' });
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
