import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { openBucket, type S3Settings } from '../../store/files/s3-bucket.ts';
import { createS3Files } from '../../store/files/s3-files.ts';

export interface StoreUnderTest {
  readonly files: FileStore;
  /** A folder of the test's own, on the file system of the store on disk. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

export interface BucketUnderTest extends StoreUnderTest {
  readonly settings: S3Settings;
}

/** The stores that every test of stores runs over: each call makes an empty one. */
export const stores = {
  async disk(pageSize?: number): Promise<StoreUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'tapedeck-store-'));
    return {
      ...{ files: createDiskFiles(join(folder, 'files'), pageSize), folder },
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
  s3: (pageSize?: number): Promise<StoreUnderTest> => aBucket({}, pageSize),
} as const;

/** A bucket of its own on the S3 server of the run. */
export async function aBucket(changes: Partial<S3Settings> = {}, pageSize?: number): Promise<BucketUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-bucket-'));
  const settings = {
    ...{ ...inject('s3'), bucket: `test-${randomUUID()}`, prefix: 'files/', region: 'us-east-1' },
    ...{ forcePathStyle: true, ...changes },
    limits: { maxAttempts: 2, answerTimeoutMs: 15_000, idleTimeoutMs: 60_000, ...changes.limits },
  };
  const { client } = openBucket({ ...settings, endpoint: inject('s3').endpoint });
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }));
  client.destroy();
  return {
    ...{ files: createS3Files(settings, pageSize), folder, settings },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The settings of a service that keeps its files in a bucket of its own. */
export async function bucketSettings(): Promise<Record<string, string>> {
  const { settings, close } = await aBucket();
  await close();
  const { endpoint, bucket, accessKeyId, secretAccessKey } = settings;
  return {
    ...{ S3_ENDPOINT: endpoint, S3_BUCKET: bucket },
    ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
  };
}
