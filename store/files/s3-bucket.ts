import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

export interface S3Settings {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Requests use `https://host/bucket/key` instead of `https://bucket.host/key`. */
  readonly forcePathStyle: boolean;
  readonly limits: BucketLimits;
}

export interface BucketLimits {
  /** Attempts per call: few where a caller waits. */
  readonly maxAttempts: number;
  /** Limit of all attempts of a call without contents, and of the wait for the first byte of contents. */
  readonly answerTimeoutMs: number;
  /** Longest silence of a connection during a transfer. */
  readonly idleTimeoutMs: number;
}

export type S3Bucket = ReturnType<typeof openBucket>;

const CONNECT_TIMEOUT_MS = 5_000;
/** Each file that a caller reads uses one connection. */
const MAX_CONNECTIONS = 1_000;

export function openBucket({ bucket, prefix, limits, ...settings }: S3Settings) {
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  const config: S3ClientConfig = {
    endpoint: settings.endpoint,
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    maxAttempts: limits.maxAttempts,
    // Several compatible servers refuse the newer checksum headers. The signature covers the body of each request.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: limits.idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
  const timeLimit = () => ({ abortSignal: AbortSignal.timeout(limits.answerTimeoutMs) });
  return { client: new S3Client(config), config, bucket, prefix, timeLimit };
}
