import type { BlockList } from 'node:net';
import type { H3Event, Middleware } from 'h3';
import type { Caller, Scope } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Authenticate } from './authenticate.ts';
import { addressGroup, clientAddress } from './client-address.ts';
import { refuseForeignPages, type OwnHostOptions } from './own-host.ts';

export interface GateOptions extends OwnHostOptions {
  readonly authenticate: Authenticate;
  readonly trustedProxies: BlockList;
  /** Aborted when the process is about to stop. */
  readonly stopping: AbortSignal;
}

interface Access {
  /** Who shares a rate limit: a key, or else an address. */
  readonly limitedAs: string;
  readonly caller: Caller | { readonly refused: unknown };
}

/** By event: reading a body puts another request in its place. */
const accesses = new WeakMap<H3Event, Access>();
const addresses = new WeakMap<H3Event, string>();
/** Links are bounded by their expiry, and probes must not use up a caller's requests. */
const NOT_LIMITED = /^\/(?:files\/|health$|live$|ready$)/;
/** What answers to any name and any page: a link carries its own permission, and /live tells nothing of the engines. */
const OPEN_TO_PAGES = /^\/(?:files\/|live$)/;
/** What needs no key besides those. */
const DOCUMENTS = /^\/(?:docs(?:\/|$)|openapi\.json$)/;

/**
 * Finds out who asks. It refuses nobody for a missing key by itself: such requests count towards a rate limit first, and
 * {@link callerOf} then tells the refusal.
 */
export function gate(options: GateOptions): Middleware {
  const admit = admission(options);
  return async (event, next) => {
    try {
      return await admit(event, next);
    } finally {
      // Kept alive, the connection would outlive its request, and the server would wait for it.
      if (options.stopping.aborted) event.res.headers.set('Connection', 'close');
    }
  };
}

function admission(options: GateOptions): Middleware {
  return async (event, next) => {
    const { pathname } = event.url;
    const address = addressGroup(clientAddress(event.req.ip, event.req.headers, options.trustedProxies));
    addresses.set(event, address);
    if (NOT_LIMITED.test(pathname)) {
      if (!OPEN_TO_PAGES.test(pathname)) refuseForeignPages(event.req, options);
      return next();
    }
    if (DOCUMENTS.test(pathname)) {
      refuseForeignPages(event.req, { ...options, isDocument: true });
      accesses.set(event, { limitedAs: `address ${address}`, caller: { kind: 'anonymous' } });
      return next();
    }
    const caller = await options.authenticate(event.req.headers.get('authorization')).catch((refused: unknown) => {
      // A database that is away is no wrong key.
      if (refused instanceof ApiError) return { refused };
      throw refused;
    });
    // A page cannot make a browser send a key that it does not know.
    const key = 'kind' in caller && caller.kind === 'key' ? caller.key : undefined;
    if (key === undefined) refuseForeignPages(event.req, options);
    accesses.set(event, { limitedAs: key === undefined ? `address ${address}` : `key ${key.id}`, caller });
    return next();
  };
}

/** @returns who shares the rate limit of this request; undefined for what is not limited */
export function limitedAs(event: H3Event): string | undefined {
  return accesses.get(event)?.limitedAs;
}

/** @returns who shares what unsent answers may hold: as with the rate limit, and the address where there is none */
export function sharerOf(event: H3Event): string {
  return limitedAs(event) ?? `address ${addresses.get(event) ?? 'unknown'}`;
}

/** @returns whether a request lacks a key that it needs, or sends a wrong one */
export function isRefused(event: H3Event): boolean {
  const caller = accesses.get(event)?.caller;
  return caller !== undefined && 'refused' in caller;
}

/** @returns who asks; throws ApiError `unauthorized`, or `forbidden` when the key lacks the scope */
export function callerOf(event: H3Event, scope: Scope | 'none'): Caller {
  if (scope === 'none') return { kind: 'anonymous' };
  const access = accesses.get(event);
  if (access === undefined) throw new Error(`${event.url.pathname} has not passed the gate`);
  const { caller, limitedAs } = access;
  if ('refused' in caller) throw caller.refused;
  if (caller.kind === 'key' && !caller.key.scopes.includes(scope)) {
    throw new ApiError('forbidden', `This API key lacks the scope "${scope}".`);
  }
  return caller.kind === 'anonymous' ? { ...caller, limitedAs } : caller;
}
