import { createReadStream } from 'node:fs';
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Bucket } from './s3-bucket.ts';
import { isNotFound } from './s3-failures.ts';

/** A file of this size or less goes in one request. Three parts in memory are far below the 150 MB that a transfer may take. */
const PART_BYTES = 8 * 1024 ** 2;
const PARTS_AT_ONCE = 3;
/** S3 takes 10,000. */
const MAX_PARTS = 9_000;

export interface UploadOrder {
  readonly key: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Uploads a file; the object appears at the end, whole. Each request carries the SHA-256 and the CRC-32 of what it sends, so
 * that the server refuses what was changed on its way.
 *
 * @throws what S3 answers, or the signal's reason; the parts that were sent are removed then
 */
export async function uploadFile(
  { client, bucket }: S3Bucket,
  path: string,
  { key, sizeBytes, contentType, metadata, signal }: UploadOrder & { readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const partSize = Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS));
  const body = createReadStream(path, { highWaterMark: 1024 ** 2 });
  const upload = new Upload({
    client,
    params: { Bucket: bucket, Key: key, Body: body, ContentType: contentType, Metadata: { ...metadata } },
    queueSize: PARTS_AT_ONCE,
    partSize,
  });
  const onAbort = (): void => void upload.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await upload.done();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    body.destroy();
  }
}

export interface AbandonedUploads {
  readonly prefix: string;
  /** Only those that were begun before; milliseconds since 1970. */
  readonly beforeMs: number;
  /** Limit of each call, in milliseconds. */
  readonly answerTimeoutMs: number;
}

/** Removes uploads that nobody will end. @returns how many */
export async function abortUploads(
  { client, bucket }: S3Bucket,
  { prefix, beforeMs, answerTimeoutMs }: AbandonedUploads,
): Promise<number> {
  const inTime = () => ({ abortSignal: AbortSignal.timeout(answerTimeoutMs) });
  let removed = 0;
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const list = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from });
    const page = await client.send(list, inTime());
    for (const upload of page.Uploads ?? []) {
      const { Key, UploadId, Initiated } = upload;
      if (Initiated === undefined || Initiated.getTime() >= beforeMs) continue;
      const abort = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
      removed += await client.send(abort, inTime()).then(() => 1, noneWhenEnded);
    }
    if (page.IsTruncated !== true) return removed;
    from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

/** One that ended by itself since it was listed. */
function noneWhenEnded(error: unknown): 0 {
  if (isNotFound(error)) return 0;
  throw error;
}
