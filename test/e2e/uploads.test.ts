import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadResult } from '../../contract/kinds/upload.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { tusCaller } from '../helpers/tus.ts';
import { until } from '../helpers/until.ts';

const MEDIA = new URL('../../local/sandbox/catalogue/media/tea/', import.meta.url);

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
}, 120_000);
afterAll(() => service.stop());

const ended = async (path: string) => {
  const answer = await until(
    async () => {
      const one = await service.request<UploadResult>('GET', `/downloads/${path.split('/').at(-1)!}`);
      return one.status === 200 ? one : undefined;
    },
    { within: 60_000, what: 'the end of the upload' },
  );
  return answer.body.data;
};
/** Asks until the api is back. */
const offsetOf = (path: string): Promise<number> =>
  until(
    () =>
      tusCaller(service.stack.restUrl)
        .offsetOf(path)
        .catch(() => undefined),
    { within: 30_000, what: 'the api' },
  );
const leftovers = () => readdir(join(service.dataDir, 'files', '.uploads'));

async function sent(all: Buffer, fields: Record<string, string>) {
  const caller = tusCaller(service.stack.restUrl);
  const path = (await caller.create(all.length, fields)).headers.get('location')!;
  return { path, answer: await caller.send(path, 0, all) };
}

describe('an uploaded recording', () => {
  it('that is cut while the api is restarted becomes a verified file, of which speaker labels can be had', async () => {
    const all = await readFile(new URL('140.m4a', MEDIA));
    const receiver = await startWebhookReceiver();
    try {
      const fields = { filename: 'Tea at five.m4a', filetype: 'audio/mp4', include_webhook: receiver.url };
      const path = (await tusCaller(service.stack.restUrl).create(all.length, fields)).headers.get('location')!;
      for (const sent of [100_000, 100_000]) {
        const caller = tusCaller(service.stack.restUrl);
        const offset = await offsetOf(path);
        await caller.cut(path, { offset, all, sent });
        await until(async () => (await offsetOf(path)) > offset, { within: 30_000, what: 'bytes that arrived' });
        service.stack.kill('api', 'SIGKILL');
      }
      const caller = tusCaller(service.stack.restUrl);
      const offset = await offsetOf(path);
      expect((await caller.send(path, offset, all.subarray(offset))).status).toBe(204);
      const record = await ended(path);
      expect(record).toMatchObject({
        ...{ type: 'upload', status: 'success', name: 'Tea at five.m4a', duration: '00:00:29', cost: '0.000' },
        transcript_speaker_id: record.id,
      });
      const file = await fetch(record.file_urls![0]!);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'audio/mp4']);
      await file.body?.cancel();
      const post = await until(() => receiver.posts[0], { within: 30_000, what: 'the webhook' });
      expect(post.headers['x-webhook-endpoint']).toBe('uploads');
      expect(await leftovers()).toEqual([]);
      const body = { transcript_with_speaker_id: record.id };
      const labels = await service.request<{ status: string }>('POST', '/api/transcriptspeakerid', { body });
      expect([200, 202]).toContain(labels.status);
    } finally {
      await receiver.close();
    }
  }, 120_000);

  it('of a video becomes an MP4', async () => {
    const all = await readFile(new URL('160.mp4', MEDIA));
    const { path, answer } = await sent(all, { filename: 'a.mp4', filetype: 'video/mp4' });
    expect(answer.status).toBe(204);
    const record = await ended(path);
    expect(record).toMatchObject({ status: 'success', audio_url: null });
    expect(new URL(record.file_urls![0]!).pathname).toMatch(/\.mp4$/);
  }, 90_000);

  it.each([
    ['random bytes', randomBytes(50_000), 'noise.mp3'],
    ['a text', Buffer.from('#EXTM3U\n/etc/passwd\n'), 'list.m3u8'],
  ])(
    'that is no recording is refused, costs nothing, and is not kept: %s',
    async (_name, bytes, filename) => {
      const { path, answer } = await sent(bytes, { filename, filetype: 'audio/mpeg' });
      expect(answer.status).toBe(400);
      const message = expect.stringMatching(/^The media (?:cannot be read|are in a format)/) as string;
      expect(await answer.json()).toMatchObject({ code: 'invalid_input', details: [{ path: 'file', message }] });
      const record = await ended(path);
      expect(record).toMatchObject({ status: 'failed', cost: '0.000', file_urls: null, response: message });
      await until(async () => ((await leftovers()).length === 0 ? true : undefined), {
        within: 20_000,
        what: 'removal',
      });
    },
    90_000,
  );
});
