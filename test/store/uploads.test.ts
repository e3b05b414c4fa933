import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Upload } from '@tus/server';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBucketUploads } from '../../store/files/bucket-uploads.ts';
import { MissingFileError, StoreAwayError } from '../../store/files/file-store.ts';
import { createDiskUploads, UPLOAD_KEPT_MS, type Uploads } from '../../store/files/uploads.ts';
import { aBucket } from '../helpers/file-stores.ts';

const kinds = {
  disk: (folder: string) => Promise.resolve(createDiskUploads(folder)),
  bucket: async () => createBucketUploads((await aBucket()).settings, UPLOAD_KEPT_MS),
};
const never = () => Promise.resolve(false);

describe.each(Object.entries(kinds))('uploads in a store of the kind %s', (_kind, open) => {
  let folder: string;
  let uploads: Uploads;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-uploads-'));
    uploads = await open(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function begun(size: number): Promise<string> {
    const id = ulid();
    const metadata = { owner: 'anonymous' };
    await uploads.store.create(new Upload({ id: uploads.keyOf(id), size, offset: 0, metadata }));
    return id;
  }
  const write = (id: string, bytes: Buffer, offset: number): Promise<number> =>
    uploads.store.write(Readable.from([bytes]), uploads.keyOf(id), offset);

  it('are whole after several parts, and copied to a folder only then', async () => {
    const all = randomBytes(11_000_000);
    const id = await begun(all.length);
    await write(id, all.subarray(0, 6_000_000), 0);
    const { offset, metadata } = await uploads.store.getUpload(uploads.keyOf(id));
    expect([offset, metadata?.['owner']]).toEqual([6_000_000, 'anonymous']);
    await expect(uploads.localCopy(id, folder, 'wav')).rejects.toThrow(MissingFileError);
    expect(await write(id, all.subarray(offset), offset)).toBe(all.length);
    expect((await readFile(await uploads.localCopy(id, folder, 'wav'))).equals(all)).toBe(true);
    await uploads.remove(id);
    await expect(uploads.localCopy(id, folder, 'mp3')).rejects.toThrow(MissingFileError);
    await uploads.remove(id);
  });

  it('are removed when they are old, except those that a job needs', async () => {
    const [gone, needed] = [await begun(100), await begun(100)];
    await write(gone, Buffer.alloc(40), 0);
    expect(await uploads.removeOlderThan(Date.now() - 60_000, never)).toBe(0);
    expect(await uploads.removeOlderThan(Date.now() + 60_000, (id) => Promise.resolve(id === needed))).toBe(1);
    await expect(uploads.store.getUpload(uploads.keyOf(gone))).rejects.toMatchObject({ status_code: 404 });
    expect((await uploads.store.getUpload(uploads.keyOf(needed))).size).toBe(100);
  });
});

it('does not take an unreachable bucket for a missing upload', async () => {
  const { settings } = await aBucket();
  const uploads = createBucketUploads({ ...settings, endpoint: 'http://127.0.0.1:1' }, UPLOAD_KEPT_MS);
  await expect(uploads.localCopy(ulid(), tmpdir(), 'wav')).rejects.toThrow(StoreAwayError);
}, 60_000);
