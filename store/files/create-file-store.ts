import { createBucketUploads } from './bucket-uploads.ts';
import { createDiskUploads, UPLOAD_KEPT_MS, type Uploads } from './uploads.ts';
import { createDiskFiles } from './disk-files.ts';
import type { FileStore } from './file-store.ts';
import type { BucketLimits, S3Settings } from './s3-bucket.ts';

export type FileStoreLocation =
  { readonly kind: 'disk'; readonly root: string } | ({ readonly kind: 's3' } & Omit<S3Settings, 'limits'>);

export function describeLocation(location: FileStoreLocation): string {
  if (location.kind === 'disk') return `the folder ${location.root}`;
  return `the part of the bucket ${location.bucket} below "${location.prefix}"`;
}

/** A caller waits for each response. A player may pause its transfer for minutes; after a longer pause it requests a range. */
export const API_BUCKET_LIMITS: BucketLimits = { maxAttempts: 3, answerTimeoutMs: 8_000, idleTimeoutMs: 300_000 };
/** A short outage of the store must not lose a download. The store may be silent while it joins the parts of a large file. */
export const WORKER_BUCKET_LIMITS: BucketLimits = { maxAttempts: 10, answerTimeoutMs: 30_000, idleTimeoutMs: 120_000 };

export async function createFileStore(location: FileStoreLocation, limits: BucketLimits): Promise<FileStore> {
  if (location.kind === 'disk') return createDiskFiles(location.root);
  // Only services with a bucket load the client, which takes 25 MB.
  const { createS3Files } = await import('./s3-files.ts');
  return createS3Files({ ...location, limits });
}

export function createUploads(location: FileStoreLocation, limits: BucketLimits): Uploads {
  return location.kind === 'disk'
    ? createDiskUploads(location.root)
    : createBucketUploads({ ...location, limits }, UPLOAD_KEPT_MS);
}
