import { createReadStream } from 'node:fs';
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { Upload as MultipartUpload } from '@aws-sdk/lib-storage';
import type { S3Bucket } from './s3-bucket.ts';
import { isRefusal, orNotFound } from './s3-failures.ts';

/** A file of at most this size is sent in one request. Three parts fit into the 150 MB that a transfer may use. */
const PART_BYTES = 8 * 1024 ** 2;
const CONCURRENT_PARTS = 3;
/** S3 accepts 10,000. */
const MAX_PARTS = 9_000;

type Upload = Omit<PutObjectCommandInput, 'Body'> & { readonly sizeBytes: number; readonly signal: AbortSignal };

/** Each request is signed with the hash of its body, so that the server refuses altered data. A failure removes the parts that were sent. */
export async function uploadFile(
  { client }: S3Bucket,
  path: string,
  { sizeBytes, signal, ...object }: Upload,
): Promise<void> {
  signal.throwIfAborted();
  const partSize = Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS));
  const body = createReadStream(path, { highWaterMark: 1024 ** 2 });
  const upload = new MultipartUpload({
    client,
    params: { ...object, Body: body },
    queueSize: CONCURRENT_PARTS,
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

/** @param options.beforeMs their latest start, in milliseconds since 1970 @returns how many */
export async function abortUploads(
  { client, bucket, timeLimit }: S3Bucket,
  { prefix, beforeMs }: { readonly prefix: string; readonly beforeMs: number },
): Promise<number> {
  let removed = 0;
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const list = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from });
    const page = await client.send(list, timeLimit()).catch((error: unknown) => {
      // Without a list, unfinished uploads are left to the rules of the bucket.
      if (isRefusal(error)) return undefined;
      throw error;
    });
    if (page === undefined) return removed;
    for (const upload of page.Uploads ?? []) {
      if ((upload.Initiated?.getTime() ?? 0) >= beforeMs) continue;
      const { Key, UploadId } = upload;
      const abort = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
      await client.send(abort, timeLimit()).catch(orNotFound);
      removed += 1;
    }
    if (page.IsTruncated !== true) return removed;
    from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
