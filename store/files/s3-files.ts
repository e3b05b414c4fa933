import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type HeadObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { optional } from '../../runtime/optional.ts';
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
import { callS3, orNotFound, statusOf } from './s3-failures.ts';
import { abortUploads, uploadFile } from './s3-uploads.ts';

const SHA256 = 'sha256';
/** The statuses for an object that is removed, or is not the one that `If-Match` requires. */
const GONE = [404, 412];

/** Published files in an S3-compatible bucket: `<prefix><record ID>/<name>`, with their SHA-256 as metadata. */
export function createS3Files(settings: S3Settings, pageObjects = 500): FileStore {
  const opened = openBucket(settings);
  const { client, bucket, prefix, timeLimit } = opened;
  const objectOf = (key: FileKey) => ({ Bucket: bucket, Key: `${prefix}${pathOfKey(key)}` });

  const head = (key: FileKey): Promise<HeadObjectCommandOutput | undefined> =>
    callS3(async () => client.send(new HeadObjectCommand(objectOf(key)), timeLimit()).catch(orNotFound));

  const read = (key: FileKey, { version, range }: { version: string | undefined; range?: ByteRange | undefined }) =>
    callS3(async () => {
      const bytes = range && `bytes=${String(range.first)}-${String(range.last)}`;
      const request = new GetObjectCommand({ ...objectOf(key), IfMatch: version, Range: bytes });
      // The limit ends with the first byte, because the reader sets the pace of the rest.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), settings.limits.answerTimeoutMs);
      const { Body: body } = await client
        .send(request, { abortSignal: late.signal })
        .catch((error: unknown) => {
          throw GONE.includes(statusOf(error)) ? new MissingFileError(key, { cause: error }) : error;
        })
        .finally(() => clearTimeout(timer));
      if (!(body instanceof Readable)) throw new Error('the S3 client returned no stream');
      return body;
    });

  return {
    async check() {
      const object = { Bucket: bucket, Key: `${prefix}check/${randomUUID()}` };
      // The requests that the service makes later, so that a refusal is reported at the start.
      const calls = async (): Promise<void> => {
        const part = { ...object, Metadata: { [SHA256]: 'check' } };
        const { UploadId } = await client.send(new CreateMultipartUploadCommand(part), timeLimit());
        await client.send(new AbortMultipartUploadCommand({ ...object, UploadId }), timeLimit());
        await client.send(new PutObjectCommand({ ...part, Body: 'check' }), timeLimit());
        const { ETag, Metadata } = await client.send(new HeadObjectCommand(object), timeLimit());
        if (Metadata?.[SHA256] !== 'check') throw new Error('the metadata of an object were not kept');
        const range = new GetObjectCommand({ ...object, IfMatch: ETag, Range: 'bytes=1-2' });
        const { Body } = await client.send(range, timeLimit());
        const text = await Body?.transformToString();
        if (text !== 'he') throw new Error('a range of an object was not answered with its bytes');
        const list = { Bucket: bucket, Prefix: object.Key, MaxKeys: 1, StartAfter: prefix };
        const { Contents } = await client.send(new ListObjectsV2Command(list), timeLimit());
        if (Contents?.[0]?.Key !== object.Key) throw new Error('an object was not listed');
        await client.send(new DeleteObjectCommand(object), timeLimit());
      };
      await callS3(calls).catch((cause: unknown) => {
        const hint = cause instanceof StoreAwayError ? 'S3_ENDPOINT' : 'S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID';
        const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
        throw new Error(`${hint}: bucket ${bucket} at ${settings.endpoint} cannot be used (${reason})`, { cause });
      });
    },

    async publish(sourcePath, key, signal) {
      const object = objectOf(key);
      const sha256 = await sha256Of(sourcePath, signal);
      const { size: sizeBytes } = await stat(sourcePath);
      const upload = { ...object, sizeBytes, ContentType: contentTypeOf(key.name), Metadata: { [SHA256]: sha256 } };
      // A record has one attempt at a time, so an unfinished upload of the same object belongs to an earlier one.
      const unfinished = { prefix: object.Key, beforeMs: Infinity };
      await callS3(() => abortUploads(opened, unfinished));
      try {
        await callS3(() => uploadFile(opened, sourcePath, { ...upload, signal }));
      } catch (error) {
        // The SDK does not abort parts that it is sending. What remains is removed by `removeLeftovers`.
        await abortUploads(opened, unfinished).catch(() => 0);
        signal.throwIfAborted();
        throw error;
      }
      const stored = await head(key);
      if (stored?.ContentLength !== sizeBytes || stored.Metadata?.[SHA256] !== sha256) {
        throw new StoreAwayError(`the file store has altered ${object.Key}`);
      }
      return { name: key.name, sizeBytes, sha256 };
    },

    async has(recordId, file) {
      const stored = await head({ recordId, name: file.name });
      return stored?.ContentLength === file.sizeBytes && stored.Metadata?.[SHA256] === file.sha256;
    },

    async open(key) {
      const stored = await head(key);
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
      const stored = await head(key);
      if (stored?.ContentLength !== file.sizeBytes) throw new MissingFileError(key);
      const path = join(folder, file.name);
      await callS3(async () => pipeline(await read(key, { version: stored.ETag }), createWriteStream(path)));
      if ((await sha256Of(path)) !== file.sha256) throw new MissingFileError(key);
      return path;
    },

    async remove(key) {
      const object = objectOf(key);
      // Parts that an interrupted publication has sent contain the same bytes.
      await callS3(() => abortUploads(opened, { prefix: object.Key, beforeMs: Infinity }));
      await callS3(() => client.send(new DeleteObjectCommand(object), timeLimit()));
    },

    page: (after) =>
      callS3(async () => {
        const from = { Bucket: bucket, Prefix: prefix, MaxKeys: pageObjects, StartAfter: after };
        const list = new ListObjectsV2Command(from);
        const { Contents: objects = [], IsTruncated: hasMore } = await client.send(list, timeLimit());
        const entries = objects.flatMap(({ Key = '', LastModified: modified }): FileEntry[] => {
          const key = fileKeyOf(Key.slice(prefix.length));
          return key === undefined || modified === undefined ? [] : [{ ...key, modifiedMs: modified.getTime() }];
        });
        const next = hasMore === true ? objects.at(-1)?.Key : undefined;
        return { entries, ...optional('next', next) };
      }),

    removeLeftovers: (beforeMs) => callS3(() => abortUploads(opened, { prefix, beforeMs })),
  };
}
