import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type HeadObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { contentTypeOf } from '../../contract/http/content-types.ts';
import { sha256Of } from './checksum.ts';
import {
  fileKeyOf,
  MissingFileError,
  pathOfKey,
  StoreAwayError,
  type ByteRange,
  type FileEntry,
  type FileKey,
  type FileStore,
} from './file-store.ts';
import { openBucket, type S3Settings } from './s3-bucket.ts';
import { isNotFound, isReplaced, onS3, orMissing } from './s3-failures.ts';
import { abortUploads, uploadFile } from './s3-uploads.ts';

const PAGE_OBJECTS = 500;
const SHA256 = 'sha256';

/** Published files as objects of an S3-compatible bucket: `<prefix><record id>/<name>`, with their SHA-256 as metadata. */
export function createS3Files(settings: S3Settings, pageObjects = PAGE_OBJECTS): FileStore {
  const place = openBucket(settings);
  const { client, bucket, prefix, inTime } = place;
  const objectOf = (key: FileKey) => ({ Bucket: bucket, Key: `${prefix}${pathOfKey(key)}` });

  const look = (key: FileKey): Promise<HeadObjectCommandOutput | undefined> =>
    onS3(async () => client.send(new HeadObjectCommand(objectOf(key)), inTime()).catch(orMissing));

  const read = (key: FileKey, { version, range }: { version: string | undefined; range?: ByteRange | undefined }) =>
    onS3(async () => {
      const bytes = range === undefined ? {} : { Range: `bytes=${String(range.first)}-${String(range.last)}` };
      const request = new GetObjectCommand({ ...objectOf(key), IfMatch: version, ...bytes });
      // Only until the contents begin: the reader sets the pace of the rest.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), settings.limits.answerTimeoutMs);
      const { Body: body } = await client
        .send(request, { abortSignal: late.signal })
        .catch((error: unknown) => {
          throw isNotFound(error) || isReplaced(error) ? new MissingFileError(key, { cause: error }) : error;
        })
        .finally(() => clearTimeout(timer));
      if (!(body instanceof Readable)) throw new Error('the S3 client handed over no stream');
      return body;
    });

  return {
    async check() {
      await onS3(() => client.send(new HeadBucketCommand({ Bucket: bucket }), inTime())).catch((cause: unknown) => {
        const hint = cause instanceof StoreAwayError ? 'S3_ENDPOINT' : 'S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID';
        const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
        throw new Error(`${hint}: bucket ${bucket} at ${settings.endpoint} cannot be used (${reason})`, { cause });
      });
    },

    async publish(sourcePath, key, signal) {
      const object = objectOf(key);
      const sha256 = await sha256Of(sourcePath, signal);
      const { size: sizeBytes } = await stat(sourcePath);
      const order = {
        key: object.Key,
        sizeBytes,
        contentType: contentTypeOf(key.name),
        metadata: { [SHA256]: sha256 },
      };
      // Of one record there is one attempt at a time: what is under way for the same object belongs to a dead one.
      const abandoned = { prefix: object.Key, beforeMs: Infinity };
      await onS3(() => abortUploads(place, abandoned));
      try {
        await onS3(() => uploadFile(place, sourcePath, { ...order, signal }));
      } catch (error) {
        // The SDK does the same, but not for parts that were under way. What stays is removed with the leftovers.
        await abortUploads(place, abandoned).catch(() => 0);
        signal.throwIfAborted();
        throw error;
      }
      const stored = await look(key);
      if (stored?.ContentLength !== sizeBytes || stored.Metadata?.[SHA256] !== sha256) {
        throw new StoreAwayError(`the file store keeps ${object.Key} otherwise than it was sent`);
      }
      return { name: key.name, sizeBytes, sha256 };
    },

    async has(recordId, file) {
      const stored = await look({ recordId, name: file.name });
      return stored?.ContentLength === file.sizeBytes && stored.Metadata?.[SHA256] === file.sha256;
    },

    async open(key) {
      const stored = await look(key);
      if (stored === undefined) return undefined;
      const version = stored.ETag;
      return {
        sizeBytes: stored.ContentLength ?? 0,
        modifiedMs: stored.LastModified?.getTime() ?? 0,
        tag: stored.Metadata?.[SHA256]?.slice(0, 32) ?? (version ?? '').replaceAll(/[^\w-]/g, ''),
        read: (range) => read(key, { version, range }),
      };
    },

    async localCopy(recordId, file, folder) {
      const key = { recordId, name: file.name };
      const stored = await look(key);
      if (stored?.ContentLength !== file.sizeBytes) throw new MissingFileError(key);
      const path = join(folder, file.name);
      await pipeline(await read(key, { version: stored.ETag }), createWriteStream(path)).catch(sortLater);
      if ((await sha256Of(path)) !== file.sha256) throw new MissingFileError(key);
      return path;
    },

    async remove(key) {
      await onS3(() => client.send(new DeleteObjectCommand(objectOf(key)), inTime()));
    },

    page: (after) =>
      onS3(async () => {
        const from = after === undefined ? {} : { StartAfter: after };
        const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: pageObjects, ...from });
        const { Contents: objects = [], IsTruncated: hasMore } = await client.send(list, inTime());
        const entries = objects.flatMap(({ Key = '', LastModified: modified }): FileEntry[] => {
          const key = fileKeyOf(Key.slice(prefix.length));
          return key === undefined || modified === undefined ? [] : [{ ...key, modifiedMs: modified.getTime() }];
        });
        const next = hasMore === true ? objects.at(-1)?.Key : undefined;
        return { entries, ...(next === undefined ? {} : { next }) };
      }),

    removeLeftovers: (beforeMs) => onS3(() => abortUploads(place, { prefix, beforeMs })),
  };
}

/** A connection that breaks within an answer is the store's matter too. */
async function sortLater(error: unknown): Promise<never> {
  return onS3(() => Promise.reject(error instanceof Error ? error : new Error(String(error))));
}
