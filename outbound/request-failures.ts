import { errors } from 'undici';

/** The connection would have gone to an address that is not public. */
export class ForbiddenTargetError extends Error {
  override readonly name = 'ForbiddenTargetError';
  constructor() {
    super('The URL leads to an address that is not public.');
  }
}

/** The host name has no address, or no name server answered. */
export class DnsError extends Error {
  override readonly name = 'DnsError';
  constructor(hostname: string, options?: ErrorOptions) {
    super(`No address found for ${hostname}.`, options);
  }
}

/** The receiver closed the connection as soon as it was made. */
export class ClosedEarlyError extends Error {
  override readonly name = 'ClosedEarlyError';
}

/** The request took longer than its limit. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Why no HTTP status arrived. Stable codes, stored in delivery records.
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

const BY_SYSTEM_CODE: Readonly<Record<string, UnreachableCode>> = {
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  EHOSTUNREACH: 'no_route',
  EHOSTDOWN: 'no_route',
  ENETUNREACH: 'no_route',
  ENETDOWN: 'no_route',
  EADDRNOTAVAIL: 'no_route',
  // A firewall rule of this host's answers so.
  EACCES: 'no_route',
  EPERM: 'no_route',
  EPROTO: 'tls',
};

/** Names that OpenSSL's certificate check and Node's TLS layer give their errors. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH)/;
const HTTP_CODE = /^(?:UND_ERR_|HPE_)/;

/** Errors that are no fault of the receiver: a wrong call of ours, or this process is out of file descriptors. */
const OUR_FAULT = new Set([
  ...['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'],
  ...['EMFILE', 'ENFILE', 'ENOMEM'],
]);

/**
 * Sorts what undici or a socket threw.
 *
 * @returns undefined for an error that is our own fault and must not be blamed on the receiver
 */
export function unreachableCode(error: unknown): UnreachableCode | undefined {
  if (error instanceof DeadlineError) return 'timeout';
  if (error instanceof DnsError) return 'dns';
  if (error instanceof ClosedEarlyError) return 'reset';
  // Has no code for some kinds of garbage.
  if (error instanceof errors.HTTPParserError) return 'protocol';
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const { code } = error;
  if (OUR_FAULT.has(code)) return undefined;
  const known = BY_SYSTEM_CODE[code];
  if (known !== undefined) return known;
  if (TLS_CODE.test(code)) return 'tls';
  return HTTP_CODE.test(code) ? 'protocol' : 'network';
}
