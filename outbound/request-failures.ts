import { errors } from 'undici';

export class ForbiddenTargetError extends Error {
  override readonly name = 'ForbiddenTargetError';
  constructor() {
    super('The URL leads to an address that is not public.');
  }
}

/**
 * The reason why no HTTP status arrived. The codes are stable and stored in delivery records.
 *
 * - `timeout`: no answer within the limit
 * - `dns`: the name has no address
 * - `refused`: nothing listens on the port
 * - `no_route`: the network can't reach the address
 * - `reset`: the connection was closed before an answer
 * - `tls`: no trusted TLS connection (certificate, name, protocol)
 * - `protocol`: the answer was not HTTP/1.1, or its headers were too large
 * - `network`: any other failure of the connection
 */
export type UnreachableCode = 'timeout' | 'dns' | 'refused' | 'no_route' | 'reset' | 'tls' | 'protocol' | 'network';

/** No HTTP status arrived, for a reason that no error of the system or of undici states. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code: UnreachableCode;

  constructor(code: UnreachableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const SYSTEM_CODES: Partial<Record<UnreachableCode, readonly string[]>> = {
  timeout: ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  refused: ['ECONNREFUSED'],
  reset: ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET'],
  // A firewall rule on this host causes the last two.
  no_route: ['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'],
  tls: ['EPROTO'],
};
const codes = Object.entries(SYSTEM_CODES) as [UnreachableCode, readonly string[]][];
const BY_SYSTEM_CODE = new Map(codes.flatMap(([code, names]) => names.map((name) => [name, code] as const)));

/** Error codes of OpenSSL's certificate verification and Node's TLS layer. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH)/;
const HTTP_CODE = /^(?:UND_ERR_|HPE_)/;

/** Errors that the receiver did not cause: incorrect use of the API, or no file descriptors left in this process. */
const OUR_FAULT = new Set([
  ...['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'],
  ...['EMFILE', 'ENFILE', 'ENOMEM'],
]);

/** @returns undefined for an internal error, which must not be attributed to the receiver */
export function unreachableCode(error: unknown): UnreachableCode | undefined {
  if (error instanceof NoAnswerError) return error.code;
  // Some kinds of invalid data cause an error without a code.
  if (error instanceof errors.HTTPParserError) return 'protocol';
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const { code } = error;
  if (OUR_FAULT.has(code)) return undefined;
  const known = BY_SYSTEM_CODE.get(code);
  if (known !== undefined) return known;
  if (TLS_CODE.test(code)) return 'tls';
  return HTTP_CODE.test(code) ? 'protocol' : 'network';
}
