import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { pipeline as copy } from 'node:stream/promises';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { S3Store } from '@tus/s3-store';
import { isRecordId, MissingFileError } from './file-store.ts';
import { openBucket, type S3Settings } from './s3-bucket.ts';
import { callS3, orNotFound } from './s3-failures.ts';
import { abortUploads } from './s3-uploads.ts';
import type { Uploads } from './uploads.ts';

/** Below the prefix of the files, in a folder that is no record. */
const FOLDER = 'uploads/';
const FACTS = '.info';
const CONCURRENT_PARTS = 2;
/** Other processes change and remove uploads too, so nothing is cached. */
const NO_CACHE = {
  get: () => Promise.resolve(undefined),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(),
};

class PatientS3Store extends S3Store {
  override write(...[source, ...rest]: Parameters<S3Store['write']>): Promise<number> {
    // The store reads the body later, so it needs a stream that waits until then.
    const kept = pipeline(source, new PassThrough(), () => undefined);
    return super.write(kept, ...rest);
  }
}

/** Uploads as parts of an object in an S3-compatible bucket. */
export function createBucketUploads(settings: S3Settings, keptMs: number): Uploads {
  const opened = openBucket(settings);
  const { client, config, bucket, timeLimit } = opened;
  const prefix = settings.prefix + FOLDER;
  const store = new PatientS3Store({
    s3ClientConfig: { ...config, bucket },
    maxConcurrentPartUploads: CONCURRENT_PARTS,
    expirationPeriodInMilliseconds: keptMs,
    // Several compatible servers know no tags.
    useTags: false,
    cache: NO_CACHE,
  });
  const keyOf = (id: string): string => prefix + id;
  const remove = async (id: string): Promise<void> => {
    if (!isRecordId(id)) return;
    await callS3(async () => {
      await abortUploads(opened, { prefix: keyOf(id), beforeMs: Infinity });
      // Without its facts, which go last, an upload does not exist.
      for (const end of ['', '.part', FACTS]) {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: keyOf(id) + end }), timeLimit());
      }
    });
  };
  return {
    store,
    keyOf,
    remove,
    async localCopy(id, folder, extension) {
      const key = { recordId: id, name: `upload.${extension}` };
      if (!isRecordId(id)) throw new MissingFileError(key);
      const path = join(folder, key.name);
      await callS3(async () => {
        // The object exists as soon as the upload is complete. The store of tus reports every error as a missing upload.
        const get = new GetObjectCommand({ Bucket: bucket, Key: keyOf(id) });
        const object = await client.send(get, timeLimit()).catch(orNotFound);
        if (object === undefined) throw new MissingFileError(key);
        await copy(object.Body as Readable, createWriteStream(path));
      });
      return path;
    },
    removeOlderThan: (beforeMs, isNeeded) =>
      callS3(async () => {
        let removed = 0;
        for (let after: string | undefined; ;) {
          const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter: after });
          const { Contents: objects = [], IsTruncated: hasMore } = await client.send(list, timeLimit());
          for (const { Key = '', LastModified: modified } of objects) {
            const id = Key.slice(prefix.length, -FACTS.length);
            const isOld = Key.endsWith(FACTS) && (modified?.getTime() ?? Infinity) < beforeMs;
            if (!isOld || !isRecordId(id) || (await isNeeded(id))) continue;
            await remove(id);
            removed += 1;
          }
          if (hasMore !== true) return removed;
          after = objects.at(-1)?.Key;
        }
      }),
  };
}
