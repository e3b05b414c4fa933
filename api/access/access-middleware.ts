import type { BlockList } from 'node:net';
import type { H3Event, Middleware } from 'h3';
import type { Caller, Scope } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { isMeantAsKey, type Authenticate } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { refuseForeignPages, type OriginGuardOptions } from './origin-guard.ts';
import { addressGroup } from '../../outbound/addresses.ts';

export interface AccessOptions extends OriginGuardOptions {
  readonly authenticate: Authenticate;
  readonly trustedProxies: BlockList;
  /** Aborted when the process is about to stop. */
  readonly stopping: AbortSignal;
}

/** A subject that a request is about, as it stands before anything is done. */
export interface AskedSubject {
  readonly subjectId: string;
  /** The record of its newest job. */
  readonly latest: DownloadRecord | undefined;
}
/**
 * @param isRead whether the request is answered by what is there
 * @throws ApiError `rate_limited` for a request for these jobs that is one too many
 */
export type AdmitJobs = (subjects: readonly AskedSubject[], isRead: boolean) => Promise<void>;

/** What the rate limit hands on to what serves a request; services of ours have none. */
export interface Admission {
  /** Called before a job is started or joined. */
  readonly admitJobs?: AdmitJobs;
  /** The record that a GET names, if there is one: it was read already. */
  readonly found?: DownloadRecord | undefined;
}
export type LimitedCaller = Caller & Admission;

export interface Identity {
  /** Who shares a rate limit: a key, or else an address. */
  readonly limitedAs: string;
  readonly caller: Caller | { readonly refused: unknown };
  /** Looks at a key again. */
  readonly again?: () => Promise<Identity['caller']>;
}

interface Access {
  readonly address: string;
  /** Absent for what is not limited and open to everyone. */
  readonly identity?: Identity;
}

/** By event: reading a body puts another request in its place. */
const accesses = new WeakMap<H3Event, Access>();
/** Links are bounded by their expiry, and neither probes nor a page and its parts must use up a caller's requests. */
const NOT_LIMITED = /^\/(?:files\/|console(?:\/|$)|pictures$|health$|live$|ready$)/;
/** What answers to any name and any page: a link carries its own permission, and /live tells nothing of the engines. */
const OPEN_TO_PAGES = /^\/(?:files\/|live$)/;
/** Tells a caller who needs no key that what it sent is none. */
export const AUTHORIZATION_IGNORED = 'Authorization-Ignored';
/** What needs no key besides those. */
const DOCUMENTS = /^\/(?:$|console(?:\/|$)|docs(?:\/|$)|openapi\.json$)/;

/**
 * Finds out who asks. It refuses nobody for a missing key by itself: such requests count towards a rate limit first, and
 * {@link callerOf} then tells the refusal.
 */
export function accessMiddleware(options: AccessOptions): Middleware {
  return async (event, next) => {
    try {
      const address = addressGroup(clientAddress(event.req.ip, event.req.headers, options.trustedProxies));
      // Of what is refused here the address is known already.
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
      // Kept alive, the connection would outlive its request, and the server would wait for it.
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
  if (isDocument) {
    refuseForeignPages(event.req, { ...options, isDocument });
    return { limitedAs: byAddress, caller: { kind: 'anonymous' } };
  }
  const authorization = event.req.headers.get('authorization');
  const again = (): Promise<Identity['caller']> =>
    options.authenticate(authorization).catch((refused: unknown) => {
      // A database that is away is no wrong key.
      if (refused instanceof ApiError) return { refused };
      throw refused;
    });
  const caller = await again();
  // A page cannot make a browser send a key that it does not know.
  const key = 'kind' in caller && caller.kind === 'key' ? caller.key : undefined;
  if (key === undefined) refuseForeignPages(event.req, options);
  return key === undefined ? { limitedAs: byAddress, caller } : { limitedAs: `key ${key.id}`, caller, again };
}

/** @throws ApiError `unauthorized` when the key of a request, perhaps a long one, was revoked since it was let in */
export async function refuseRevoked(event: H3Event): Promise<void> {
  // While the database is away, a caller who was let in stays.
  const caller = await identityOf(event)
    ?.again?.()
    .catch(() => undefined);
  if (caller !== undefined && 'refused' in caller) throw caller.refused;
}

/** @returns who asks, good key or not; undefined for what is not limited */
export function identityOf(event: H3Event): Identity | undefined {
  return accesses.get(event)?.identity;
}

/** @returns who shares what unsent answers may hold: as with the rate limit, and the address where there is none */
export function sharerOf(event: H3Event): string {
  return identityOf(event)?.limitedAs ?? `address ${accesses.get(event)?.address ?? 'unknown'}`;
}

/** @returns who asks; throws ApiError `unauthorized`, or `forbidden` when the key lacks the scope */
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
