import { errors } from 'undici';
import { JobError } from '../../contract/job-error.ts';

/** Errors that come before the first byte of a request has left. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const OUT_OF_TIME = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/** No trusted TLS connection: names of OpenSSL's and Node's. */
const NO_TLS = /^(?:CERT_|DEPTH_ZERO_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_)/;

/** Whether the other side can't have seen the request. */
export function wasNeverSent(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (NEVER_SENT.has(code) || NO_TLS.test(code));
}

/**
 * What undici or a socket threw, sorted.
 *
 * @param whileReading the answer had begun
 * @returns the error itself when it is not one of a connection
 */
export function connectionFailure(error: unknown, whileReading: boolean): unknown {
  if (error instanceof JobError) return error;
  const code = codeOf(error);
  // Not the error itself: its object holds the request, and with it the token.
  const cause = new Error(code ?? String(error));
  if (isTimeout(error) || (code !== undefined && OUT_OF_TIME.has(code))) {
    return new JobError('upstream_timeout', 'The dataset API did not answer in time.', { cause });
  }
  if (code === undefined && !(error instanceof errors.HTTPParserError)) return error;
  return whileReading
    ? new JobError('incomplete', 'The dataset API ended its answer too early.', { cause })
    : new JobError('upstream_error', 'The dataset API could not be reached.', { cause });
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
