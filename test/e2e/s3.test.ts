import { createHash } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PublishedFile } from '../../contract/download-record.ts';
import { bucketSettings } from '../helpers/file-stores.ts';
import { probe } from '../helpers/media.ts';
import { TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ env: { FILES_STORE: 's3', ...(await bucketSettings()), RETENTION_DAYS: '30' } });
}, 120_000);
afterAll(() => service.stop());

it('a service with a bucket fetches, serves and reuses, and keeps no file on disk', async () => {
  const video = service.videoId('ordinary');
  const ended = await service.finishedAudio(video);
  const link = new URL(ended.audio_url!);
  expect(link.pathname).toBe(`/files/${ended.id}/${video}.m4a`);
  expect(link.origin).toBe(service.stack.restUrl);

  const response = await fetch(link);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mp4']);
  const part = await fetch(link, { headers: { range: 'bytes=1000-1999' } });
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true);
  expect((await probe(link.href)).streams.map(({ codec_name: codec }) => codec)).toEqual(['aac']);

  const mongo = await MongoClient.connect(service.stack.mongodbUri);
  const records = mongo
    .db(service.stack.env['MONGODB_DATABASE'])
    .collection<{ _id: string; files: PublishedFile[] }>('records');
  const record = await records.findOne({ _id: ended.id });
  await mongo.close();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(record?.files).toEqual([{ name: `${video}.m4a`, sizeBytes: bytes.length, sha256 }]);

  expect(await service.requestAudio(video)).toMatchObject({ status: 200, body: { data: { id: ended.id } } });
  expect(await service.filesOnDisk()).toEqual({ published: [], work: [] });
}, 120_000);
