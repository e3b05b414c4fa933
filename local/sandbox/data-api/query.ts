import { invalidPageToken, invalidValue, missingParameter, tooManyIds } from './refusals.ts';

const MAX_IDS = 50;

/** The parameters of one request. Lists may be repeated, separated by commas, or both. */
export interface Query {
  text(name: string): string | undefined;
  list(name: string): readonly string[];
  /** @throws ApiRefusal for more than 50 */
  ids(name: string): readonly string[];
  /** @throws ApiRefusal when it is out of range */
  maxResults(limits: { readonly fallback: number; readonly max: number }): number;
  /** Only the parts that were asked for. @throws ApiRefusal when `part` is missing */
  parts(resource: Readonly<Record<string, object | undefined>>): object;
}

export function readQuery(params: URLSearchParams): Query {
  const list = (name: string): string[] =>
    params
      .getAll(name)
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '');
  return {
    text: (name) => params.get(name) ?? undefined,
    list,
    ids(name) {
      const ids = [...new Set(list(name))];
      if (ids.length > MAX_IDS) throw tooManyIds();
      return ids;
    },
    maxResults({ fallback, max }) {
      const value = params.get('maxResults') ?? String(fallback);
      if (!/^\d{1,4}$/.test(value) || Number(value) > max)
        throw invalidValue(value, 'maxResults', `[0, ${String(max)}]`);
      // 0 means what a request without it means.
      return Number(value) === 0 ? fallback : Number(value);
    },
    parts(resource) {
      const wanted = list('part');
      if (wanted.length === 0) throw missingParameter('The request is missing a required parameter: part', 'part');
      return Object.fromEntries(Object.entries(resource).filter(([part]) => wanted.includes(part)));
    },
  };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Position of the first item, from 0. */
  readonly position: number;
  readonly next: { readonly nextPageToken?: string; readonly prevPageToken?: string };
}

/**
 * A page of a list. Tokens say where it begins, in a way that nobody should read.
 *
 * @param list.key names the list, so that a token of another list is refused
 * @throws ApiRefusal invalidPageToken
 */
export function pageOf<Item>(
  all: readonly Item[],
  list: { readonly key: string; readonly size: number; readonly token: string | undefined },
): Page<Item> {
  const tokenOf = (position: number): string => Buffer.from(`${list.key}\0${String(position)}`).toString('base64url');
  let position = 0;
  if (list.token !== undefined) {
    const [key, at = ''] = Buffer.from(list.token, 'base64url').toString().split('\0');
    if (key !== list.key || !/^\d{1,9}$/.test(at)) throw invalidPageToken();
    position = Number(at);
  }
  const end = position + list.size;
  return {
    items: all.slice(position, end),
    position,
    next: {
      ...(end < all.length ? { nextPageToken: tokenOf(end) } : {}),
      ...(position > 0 ? { prevPageToken: tokenOf(Math.max(0, position - list.size)) } : {}),
    },
  };
}
