import { join } from 'node:path';
import { z } from 'zod';
import type { FileStoreLocation } from './create-file-store.ts';

const positive = z.coerce.number().int().positive();

/** Facts are fresh for a day at most, and documents that may still answer a request are not removed. */
const keepDays = positive.min(2).max(36_500).optional();

export const fileSettings = {
  FILES_STORE: z
    .enum(['disk', 's3'])
    .default('disk')
    .describe('Where published files are kept: below DATA_DIR, or in an S3-compatible bucket'),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the S3-compatible server'),
  S3_BUCKET: z
    .string()
    .regex(/^[\w.-]{1,255}$/)
    .optional()
    .describe('Bucket of the files; it must exist'),
  S3_PREFIX: z
    .string()
    .regex(/^[\w./-]{0,200}$/)
    .default('files/')
    .describe('Prefix of the key of every file; only one service may use it'),
  S3_REGION: z.string().default('us-east-1').describe('Region for which requests are signed'),
  S3_ACCESS_KEY_ID: z.string().optional().describe('Access key of the bucket'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Secret of the access key'),
  S3_FORCE_PATH_STYLE: z
    .stringbool()
    .default(true)
    .describe('Whether requests name the bucket in the path instead of the host name of S3_ENDPOINT'),
  RETENTION_DAYS: positive.max(36_500).optional().describe('Days for which files are kept; if not set, for ever'),
  CONTENTS_KEEP_DAYS: keepDays.describe(
    'Days for which facts, texts and lists of ended jobs are kept, longer than they are fresh; if not set, for ever',
  ),
  DELIVERIES_KEEP_DAYS: keepDays.describe('Days for which the log of webhooks is kept; if not set, for ever'),
  SNAPSHOTS_KEEP_DAYS: keepDays.describe(
    "Days for which the dataset API's snapshot IDs are kept; if not set, for ever",
  ),
  FAILED_KEEP_DAYS: keepDays.describe(
    'Days for which failed downloads are kept, with all that belongs to them; if not set, for ever',
  ),
  BATCHES_KEEP_DAYS: keepDays.describe(
    'Days for which ended batches and their lists of items are kept; if not set, for ever',
  ),
  UPLOAD_MAX_BYTES: positive
    .default(4 * 1024 ** 3)
    .describe('Largest file that a caller may upload; unfinished uploads are removed after a day'),
  MIN_FREE_BYTES: z.coerce
    .number()
    .int()
    .nonnegative()
    .default(512 * 1024 ** 2)
    .describe('Free space below which no download starts; running downloads are stopped at half of it'),
};

const needed = z.string({ error: 'needed with FILES_STORE=s3 and not set' });
const bucketSchema = z
  .object({
    S3_ENDPOINT: needed,
    S3_BUCKET: needed,
    S3_ACCESS_KEY_ID: needed,
    S3_SECRET_ACCESS_KEY: needed,
    S3_PREFIX: z.string(),
    S3_REGION: z.string(),
    S3_FORCE_PATH_STYLE: z.boolean(),
  })
  .transform((given): FileStoreLocation => ({
    kind: 's3',
    endpoint: given.S3_ENDPOINT,
    bucket: given.S3_BUCKET,
    prefix: given.S3_PREFIX,
    region: given.S3_REGION,
    accessKeyId: given.S3_ACCESS_KEY_ID,
    secretAccessKey: given.S3_SECRET_ACCESS_KEY,
    forcePathStyle: given.S3_FORCE_PATH_STYLE,
  }));

export function fileStoreLocationOf(
  given: z.infer<z.ZodObject<typeof fileSettings>>,
  { dataDir }: { readonly dataDir: string },
): FileStoreLocation {
  return given.FILES_STORE === 'disk' ? { kind: 'disk', root: join(dataDir, 'files') } : bucketSchema.parse(given);
}
