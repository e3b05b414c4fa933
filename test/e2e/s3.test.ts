import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import type { PublishedFile } from '../../contract/download-record.ts';
import { API_BUCKET_LIMITS } from '../../store/files/create-file-store.ts';
import { openBucket } from '../../store/files/s3-bucket.ts';
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

  // Removed contents leave nothing in the bucket, nor does a publication that was interrupted.
  const marker = Buffer.from('Zwetschgendatschi');
  const { files } = loadConfig(service.stack.env);
  if (files.kind !== 's3') throw new Error('the service has no bucket');
  const { client, bucket, prefix } = openBucket({ ...files, limits: API_BUCKET_LIMITS });
  const object = { Bucket: bucket, Key: `${prefix}${ended.id}/${video}.m4a` };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
  await client.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: marker }));
  const found = () => filesWith([marker, bytes.subarray(1000, 1100)], bucket);
  // The server keeps a bucket as a folder, in which the test finds what there is.
  expect(await found()).toHaveLength(2);
  expect((await service.request('DELETE', `/api/downloads/${ended.id}/contents`)).status).toBe(200);
  expect(await found()).toEqual([]);
  expect((await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []).toEqual([]);
  client.destroy();
  expect((await fetch(link)).status).toBe(404);
}, 120_000);

/** The files of a bucket that contain one of the texts. */
async function filesWith(texts: readonly Buffer[], bucket: string): Promise<string[]> {
  const found: string[] = [];
  for (const one of await readdir(join(inject('dataDir'), 's3'), { recursive: true, withFileTypes: true })) {
    const path = join(one.parentPath, one.name);
    if (!one.isFile() || !path.includes(bucket)) continue;
    const contents = await readFile(path);
    if (texts.some((text) => contents.includes(text))) found.push(path);
  }
  return found;
}
