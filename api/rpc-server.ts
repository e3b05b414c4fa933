import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { TRPCError } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { ERROR_TABLE } from '../contract/errors.ts';
import { REQUEST_BODY_MAX_BYTES } from '../contract/limits.ts';
import { unauthorized } from './access/authenticate.ts';
import { refuseForeignPages } from './access/own-host.ts';
import type { ServiceDeps } from './deps.ts';
import { toApiError } from './errors.ts';
import { createRpcStreams } from './rpc-streams.ts';
import { appRouter } from './rpc.ts';

export interface RpcOptions {
  /** What callers send as `Authorization: Bearer`; without it everyone who reaches the port is let in. */
  readonly token?: string | undefined;
  /** Whether the service listens on loopback only. */
  readonly isLoopback: boolean;
}

/** The tRPC facade as a server that does not listen yet. Its callers are services of ours: no key, no limit, no bill. */
export function createRpcServer(deps: ServiceDeps, options: RpcOptions): Server {
  return createHTTPServer({
    router: appRouter,
    createContext({ req, res }) {
      try {
        admit(req, options);
      } catch (error) {
        const cause = toApiError(error);
        for (const [name, value] of Object.entries(cause.extras.headers ?? {})) res.setHeader(name, value);
        throw new TRPCError({ code: ERROR_TABLE[cause.code].trpc, message: cause.message, cause });
      }
      return { deps: { ...deps, caller: { kind: 'service' } }, streams: createRpcStreams(res, deps.log) };
    },
    maxBodySize: REQUEST_BODY_MAX_BYTES,
  });
}

/** @throws ApiError `unauthorized`, `forbidden` */
function admit(request: IncomingMessage, { token, isLoopback }: RpcOptions): void {
  if (token !== undefined) {
    const [, sent] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    if (sent === undefined || !isSame(sent, token))
      throw unauthorized('The token of the service (RPC_TOKEN) is needed.');
    return;
  }
  const headers = new Headers();
  for (const name of ['host', 'origin', 'sec-fetch-site'] as const) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const method = request.method ?? 'GET';
  refuseForeignPages({ method, headers }, { isLoopback, publicUrl: 'http://127.0.0.1' });
}

/** In a time that does not depend on how much is right, nor on the lengths. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
