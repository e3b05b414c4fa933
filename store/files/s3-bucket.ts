import { S3Client } from '@aws-sdk/client-s3';

export interface S3Settings {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Before the key of every object. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `https://host/bucket/key` and not `https://bucket.host/key`. */
  readonly forcePathStyle: boolean;
  readonly limits: BucketLimits;
}

/** How long the bucket is waited for. */
export interface BucketLimits {
  /** How often a call is tried: few where somebody waits for the answer. */
  readonly maxAttempts: number;
  /** Limit of a call without contents, all tries together, and of the wait for contents to begin; in milliseconds. */
  readonly answerTimeoutMs: number;
  /** Longest silence of a connection within a transfer, in milliseconds. */
  readonly idleTimeoutMs: number;
}

/** A bucket, and where in it the files are. */
export type S3Bucket = ReturnType<typeof openBucket>;

const CONNECT_TIMEOUT_MS = 5_000;
/** Each answer to a reader holds one. */
const MAX_CONNECTIONS = 1_000;

export function openBucket({ bucket, prefix, limits, ...settings }: S3Settings) {
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  const client = new S3Client({
    endpoint: settings.endpoint,
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    maxAttempts: limits.maxAttempts,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: limits.idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  /** Options of a call without contents. */
  const inTime = () => ({ abortSignal: AbortSignal.timeout(limits.answerTimeoutMs) });
  return { client, bucket, prefix, inTime };
}
