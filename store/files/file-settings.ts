import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../config-values.ts';
import { bool, count, optionalText, optionalUrl, positive, text } from '../../runtime/setting-types.ts';
import type { FileStoreLocation } from './create-file-store.ts';

/** Facts are fresh for a day at most, and documents that may still answer a request are not removed. */
const keepDays = positive.min(2).max(36_500).optional();

export const fileSettings = {
  FILES_STORE: z
    .enum(['disk', 's3'])
    .default('disk')
    .describe('Where published files are kept: below DATA_DIR, or in an S3-compatible bucket'),
  S3_ENDPOINT: optionalUrl.describe('Address of the S3-compatible server'),
  S3_BUCKET: text
    .regex(/^[\w.-]{1,255}$/)
    .optional()
    .describe('Bucket of the files; it must exist'),
  S3_PREFIX: text
    .regex(/^[\w./-]{0,200}$/)
    .default('files/')
    .describe('Prefix of the key of every file; only one service may use it'),
  S3_REGION: text.default('us-east-1').describe('Region for which requests are signed'),
  S3_ACCESS_KEY_ID: optionalText.describe('Access key of the bucket'),
  S3_SECRET_ACCESS_KEY: optionalText.describe('Secret of the access key'),
  S3_FORCE_PATH_STYLE: bool
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
  MIN_FREE_BYTES: count
    .default(512 * 1024 ** 2)
    .describe('Free space below which no download starts; running downloads are stopped at half of it'),
};

const NEEDED = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** @throws ConfigError naming each missing setting of the bucket */
export function fileStoreLocationOf(
  given: z.infer<z.ZodObject<typeof fileSettings>>,
  { dataDir }: { readonly dataDir: string },
): FileStoreLocation {
  if (given.FILES_STORE === 'disk') return { kind: 'disk', root: join(dataDir, 'files') };
  const missing = NEEDED.filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    throw new ConfigError(missing.map((name) => `${name}: needed with FILES_STORE=s3 and not set`).join('\n'));
  }
  const bucket = given as typeof given & Readonly<Record<(typeof NEEDED)[number], string>>;
  return {
    kind: 's3',
    endpoint: bucket.S3_ENDPOINT,
    bucket: bucket.S3_BUCKET,
    prefix: bucket.S3_PREFIX,
    region: bucket.S3_REGION,
    accessKeyId: bucket.S3_ACCESS_KEY_ID,
    secretAccessKey: bucket.S3_SECRET_ACCESS_KEY,
    forcePathStyle: bucket.S3_FORCE_PATH_STYLE,
  };
}
