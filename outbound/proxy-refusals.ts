import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ForbiddenTargetError, unreachableCode } from './request-failures.ts';

/** Connects to the host and port of a URL on behalf of a client. */
export type Dial = (target: URL, client: Duplex) => Promise<Socket>;

/**
 * The reasons why the proxy refuses a connection. Clients repeat the reason phrase in their errors, where
 * `sources/vidnet/yt-dlp/yt-dlp-failures.ts` recognizes it.
 */
export function refusalOf(error: unknown): { readonly statusCode: number; readonly phrase: string } {
  if (error instanceof ForbiddenTargetError) return { statusCode: 403, phrase: 'Target Not Public' };
  if (unreachableCode(error) === 'timeout') return { statusCode: 504, phrase: 'Target Timeout' };
  return { statusCode: 502, phrase: 'Target Unreachable' };
}
