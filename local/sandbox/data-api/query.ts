import { Refusal } from '../json-http.ts';
import type { Library } from '../library.ts';
import type { Stats } from '../stats.ts';

const MAX_IDS = 50;

export type Query = ReturnType<typeof readQuery>;

export interface ApiCall {
  readonly query: Query;
  readonly library: Library;
  readonly stats: Stats;
  readonly baseUrl: string;
}

/** A refusal in the shape of the Data API, without `domain` and `location`. */
export function apiRefusal(status: number, reason: string, message: string): Refusal {
  return new Refusal(status, { error: { code: status, message, errors: [{ message, reason }] } });
}

/** The parameters of a request. Lists may be repeated, comma-separated, or both. @throws Refusal without a `part` */
export function readQuery(params: URLSearchParams) {
  const text = (name: string): string | undefined => params.get(name) ?? undefined;
  const list = (name: string): string[] =>
    params
      .getAll(name)
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '');
  const wanted = list('part');
  if (wanted.length === 0) throw missingParameter('part');
  return {
    text,
    required(name: string): string {
      const value = text(name);
      if (value === undefined) throw missingParameter(name);
      return value;
    },
    /** Without duplicates. @throws Refusal for none, and for more than 50 */
    ids(name: string): readonly string[] {
      const ids = [...new Set(list(name))];
      if (ids.length === 0) throw missingParameter(name);
      if (ids.length <= MAX_IDS) return ids;
      throw apiRefusal(400, 'invalidFilters', 'The request specifies an invalid filter parameter.');
    },
    /** `maxResults`, where 0 means the default. @throws Refusal when it is out of range */
    pageSize({ fallback, max }: { fallback: number; max: number }): number {
      const value = params.get('maxResults') ?? '0';
      if (/^\d{1,4}$/.test(value) && Number(value) <= max) return Number(value) || fallback;
      throw apiRefusal(400, 'invalidParameter', `Invalid value '${value}'. The greatest is ${String(max)}.`);
    },
    parts: (resource: Readonly<Record<string, object | undefined>>): object =>
      Object.fromEntries(Object.entries(resource).filter(([part]) => wanted.includes(part))),
  };
}

/** A page of a list, with opaque page tokens. @param list.key names the list, so that a token of another list is refused */
export function pageOf<Item>(
  all: readonly Item[],
  list: { readonly key: string; readonly size: number; readonly token: string | undefined },
) {
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
    nextPageToken: end < all.length ? tokenOf(end) : undefined,
    prevPageToken: position > 0 ? tokenOf(Math.max(0, position - list.size)) : undefined,
  };
}

export function invalidPageToken(): Refusal {
  return apiRefusal(400, 'invalidPageToken', 'The request specifies an invalid page token.');
}

function missingParameter(name: string): Refusal {
  return apiRefusal(400, 'missingRequiredParameter', `The request is missing a required parameter: ${name}`);
}
