import { createDiskFiles } from './disk-files.ts';
import type { FileStore } from './files.ts';
import type { S3Settings } from './s3-bucket.ts';
import { createS3Files } from './s3-files.ts';

/** Where published files are kept. */
export type FilesPlace =
  { readonly kind: 'disk'; readonly root: string } | ({ readonly kind: 's3' } & Omit<S3Settings, 'maxAttempts'>);

/** @param options.maxAttempts how often a call of a store beyond this machine is tried */
export function createFileStore(place: FilesPlace, { maxAttempts }: { readonly maxAttempts: number }): FileStore {
  return place.kind === 'disk' ? createDiskFiles(place.root) : createS3Files({ ...place, maxAttempts });
}
