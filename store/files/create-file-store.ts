import { createDiskFiles } from './disk-files.ts';
import type { FileStore } from './file-store.ts';
import type { BucketLimits, S3Settings } from './s3-bucket.ts';
import { createS3Files } from './s3-files.ts';

/** Where published files are kept. */
export type FileStoreLocation =
  { readonly kind: 'disk'; readonly root: string } | ({ readonly kind: 's3' } & Omit<S3Settings, 'limits'>);

/** @returns it in words for an operator */
export function nameOfPlace(place: FileStoreLocation): string {
  if (place.kind === 'disk') return `the folder ${place.root}`;
  return `the part of the bucket ${place.bucket} below "${place.prefix}"`;
}

/** Somebody waits for each answer. A player may pause its transfer for minutes; one that pauses longer asks for the rest by a range. */
export const API_BUCKET_LIMITS: BucketLimits = { maxAttempts: 3, answerTimeoutMs: 8_000, idleTimeoutMs: 300_000 };
/** What was downloaded should not be lost to a short absence of the store, which may join the parts of a large file in silence. */
export const WORKER_BUCKET_LIMITS: BucketLimits = { maxAttempts: 10, answerTimeoutMs: 30_000, idleTimeoutMs: 120_000 };

/** @param limits with a store beyond this machine */
export function createFileStore(place: FileStoreLocation, limits: BucketLimits): FileStore {
  return place.kind === 'disk' ? createDiskFiles(place.root) : createS3Files({ ...place, limits });
}
