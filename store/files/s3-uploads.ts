import { createReadStream } from 'node:fs';
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Bucket } from './s3-bucket.ts';
import { orMissing } from './s3-failures.ts';

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

/** Removes uploads that nobody will end, of those begun before a time (milliseconds since 1970). @returns how many */
export async function abortUploads(
  { client, bucket, inTime }: S3Bucket,
  { prefix, beforeMs }: { readonly prefix: string; readonly beforeMs: number },
): Promise<number> {
  let removed = 0;
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const list = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from });
    const page = await client.send(list, inTime());
    for (const upload of page.Uploads ?? []) {
      if ((upload.Initiated?.getTime() ?? 0) >= beforeMs) continue;
      const { Key, UploadId } = upload;
      const abort = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
      await client.send(abort, inTime()).catch(orMissing);
      removed += 1;
    }
    if (page.IsTruncated !== true) return removed;
    from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
