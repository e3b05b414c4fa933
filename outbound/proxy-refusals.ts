import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ForbiddenTargetError, unreachableCode } from './failures.ts';

/** Connects to the host and port of a URL for a client that waits. */
export type Dial = (target: URL, client: Duplex) => Promise<Socket>;

/**
 * Why the proxy made no connection: the reason phrase of its answer, which clients repeat in their errors, where
 * `sources/vidnet/failures.ts` reads it.
 */
export const PROXY_REFUSALS = {
  forbidden: { statusCode: 403, phrase: 'Target Not Public' },
  unreachable: { statusCode: 502, phrase: 'Target Unreachable' },
  timeout: { statusCode: 504, phrase: 'Target Timeout' },
} as const;
export type ProxyRefusal = keyof typeof PROXY_REFUSALS;

/** @returns what to tell the client of a connection that was not made */
export function refusalOf(error: unknown): ProxyRefusal {
  if (error instanceof ForbiddenTargetError) return 'forbidden';
  return unreachableCode(error) === 'timeout' ? 'timeout' : 'unreachable';
}
