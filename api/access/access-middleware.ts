import type { BlockList } from 'node:net';
import type { H3Event, Middleware } from 'h3';
import type { Caller, Scope } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { isMeantAsKey, type Authenticate } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { refuseForeignPages, type OriginGuardOptions } from './origin-guard.ts';
import { addressGroup } from '../../outbound/addresses.ts';

interface AccessOptions extends OriginGuardOptions {
  readonly authenticate: Authenticate;
  readonly trustedProxies: BlockList;
  readonly stopping: AbortSignal;
}

interface RequestedSubject {
  readonly subjectId: string;
  readonly latest: DownloadRecord | undefined;
}

export interface RateLimitState {
  /** Called before a job is started or joined. @param isRead whether stored results answer the request */
  readonly admitJobs?: (subjects: readonly RequestedSubject[], isRead: boolean) => Promise<void>;
  /** The record of a GET request, which the rate limit has read already. */
  readonly found?: DownloadRecord | undefined;
}
/** The IDs of what a request with an `Idempotency-Key` creates, which are the same when it is repeated. */
export interface RequestIds {
  readonly of: (name: string) => string;
  /** The IDs of the records that answer the request. A record that was joined or reused has another ID than `of` returns. */
  readonly noted: Record<string, string>;
}
export type LimitedCaller = Caller & RateLimitState & { readonly ids?: RequestIds };

interface Identity {
  /** Identifies the callers that share a rate limit: a key, or else an address. */
  readonly limitedAs: string;
  readonly caller: Caller | { readonly refused: ApiError };
  /** Authenticates the key again; absent without a valid key. */
  readonly again?: () => Promise<Identity['caller']>;
}

interface Access {
  readonly address: string;
  /** Absent for paths that are not limited and open to everyone. */
  readonly identity?: Identity;
}

const accesses = new WeakMap<H3Event, Access>();
/** Paths without a rate limit: links expire, and neither probes nor the parts of a page may use up a caller's requests. */
const NOT_LIMITED = /^\/(?:files\/|feeds\/[^/]+\/|console(?:\/|$)|pictures$|health$|live$|ready$)/;
/** Paths that pages of any site may request: a link is its own authorization, and /live reveals nothing about the engines. */
const OPEN_TO_PAGES = /^\/(?:files\/|feeds\/|live$)/;
/** The header that informs a caller that its `Authorization` header is not an API key and was ignored. */
export const AUTHORIZATION_IGNORED = 'Authorization-Ignored';
const DOCUMENTS = /^\/(?:$|console(?:\/|$)|docs(?:\/|$)|openapi\.json$|llms\.txt$|\.well-known\/)/;

/** Identifies the caller. A request without a valid key counts towards the rate limit before {@link callerOf} refuses it. */
export function accessMiddleware(options: AccessOptions): Middleware {
  return async (event, next) => {
    try {
      const address = addressGroup(clientAddress(event.req.ip, event.req.headers, options.trustedProxies));
      accesses.set(event, { address });
      const identity = await identify(event, address, options);
      if (identity !== undefined) accesses.set(event, { address, identity });
      const authorization = event.req.headers.get('authorization');
      const isIgnored = identity === undefined || 'kind' in identity.caller;
      if (isIgnored && authorization !== null && !isMeantAsKey(authorization)) {
        event.res.headers.set(AUTHORIZATION_IGNORED, 'not an API key');
      }
      return await next();
    } finally {
      // The server waits for open connections when it stops, so they are not kept alive.
      if (options.stopping.aborted) event.res.headers.set('Connection', 'close');
    }
  };
}

async function identify(event: H3Event, address: string, options: AccessOptions): Promise<Identity | undefined> {
  const { pathname } = event.url;
  const isDocument = DOCUMENTS.test(pathname);
  if (NOT_LIMITED.test(pathname)) {
    if (!OPEN_TO_PAGES.test(pathname)) refuseForeignPages(event.req, { ...options, isDocument });
    return undefined;
  }
  const byAddress = `address ${address}`;
  if (isDocument || OPEN_TO_PAGES.test(pathname)) {
    if (isDocument) refuseForeignPages(event.req, { ...options, isDocument });
    return { limitedAs: byAddress, caller: { kind: 'anonymous' } };
  }
  const authorization = event.req.headers.get('authorization');
  const again = (): Promise<Identity['caller']> =>
    options.authenticate(authorization).catch((refused: unknown) => {
      // An unreachable database does not make a key invalid.
      if (refused instanceof ApiError) return { refused };
      throw refused;
    });
  const caller = await again();
  // A page cannot make a browser send a key that it does not know.
  const key = 'kind' in caller && caller.kind === 'key' ? caller.key : undefined;
  if (key === undefined) refuseForeignPages(event.req, options);
  return key === undefined ? { limitedAs: byAddress, caller } : { limitedAs: `key ${key.id}`, caller, again };
}

export async function refuseRevoked(event: H3Event): Promise<void> {
  // While the database cannot be reached, an authorized caller keeps its access.
  const caller = await identityOf(event)
    ?.again?.()
    .catch(() => undefined);
  if (caller !== undefined && 'refused' in caller) throw caller.refused;
}

export function identityOf(event: H3Event): Identity | undefined {
  return accesses.get(event)?.identity;
}

export function rateLimitKeyOf(event: H3Event): string {
  return identityOf(event)?.limitedAs ?? `address ${accesses.get(event)?.address ?? 'unknown'}`;
}

/** @returns the caller; throws ApiError `unauthorized`, or `forbidden` when the key lacks the scope */
export function callerOf(event: H3Event, scope: Scope | 'none'): Caller {
  if (scope === 'none') return { kind: 'anonymous' };
  const identity = identityOf(event);
  if (identity === undefined) throw new Error(`${event.url.pathname} has not passed the access middleware`);
  const { caller, limitedAs } = identity;
  if ('refused' in caller) throw caller.refused;
  if (caller.kind === 'key' && !caller.key.scopes.includes(scope)) {
    throw new ApiError('forbidden', `This API key lacks the scope "${scope}".`);
  }
  return caller.kind === 'anonymous' ? { ...caller, limitedAs } : caller;
}
