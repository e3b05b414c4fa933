import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { read } from '../console-api.ts';
import { Button } from './controls.tsx';
import { useLoaded } from './hooks.ts';
import { ErrorNotice, Loading } from './parts.tsx';

const PAGE_ENTRIES = 50;

export interface LoadedList<Entry> {
  readonly entries: readonly Entry[] | undefined;
  readonly thrown: unknown;
  readonly again: () => void;
  /** Loads the next page; undefined at the end of the list. */
  readonly more: (() => void) | undefined;
}

/**
 * Loads a list of the service, first one page, then as many as the user wants.
 * @param name the field of the answer that has the entries
 * @param version a changed one loads the list again
 */
export function useList<Entry>(
  path: string,
  name: string,
  { query = {}, version = '' }: { readonly query?: Readonly<Record<string, string>>; readonly version?: string } = {},
): LoadedList<Entry> {
  const [most, setMost] = useState(PAGE_ENTRIES);
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const fixed = new URLSearchParams([['limit', String(PAGE_ENTRIES)], ...given]).toString();
  const { value, thrown, again } = useLoaded(
    async (signal) => {
      const entries: Entry[] = [];
      let cursor: string | number | null = '';
      while (cursor !== null && entries.length < most) {
        const from: string = cursor === '' ? '' : `&cursor=${String(cursor)}`;
        const page = await read<Record<string, unknown>>(`${path}?${fixed}${from}`, signal);
        entries.push(...(page[name] as Entry[]));
        cursor = page['next_cursor'] as string | number | null;
      }
      return { entries, isMore: cursor !== null };
    },
    [path, fixed, most, version],
  );
  return {
    ...{ entries: value?.entries, thrown, again },
    more: value?.isMore === true ? () => setMost(most + PAGE_ENTRIES) : undefined,
  };
}

interface ListProps<Entry> {
  readonly list: LoadedList<Entry>;
  /** Shown instead of an empty list. */
  readonly empty: ComponentChildren;
  readonly more: string;
  readonly keyOf: (entry: Entry) => string;
  readonly children: (entry: Entry) => ComponentChildren;
}

export function List<Entry>({
  list: { entries, thrown, more },
  empty,
  more: moreText,
  keyOf,
  children,
}: ListProps<Entry>) {
  return (
    <>
      <ErrorNotice thrown={thrown} />
      {entries === undefined && thrown === undefined ? <Loading /> : null}
      {entries?.length === 0 ? empty : null}
      <ul class="jobs">
        {(entries ?? []).map((entry) => (
          <li key={keyOf(entry)}>{children(entry)}</li>
        ))}
      </ul>
      {more === undefined ? null : (
        <p class="center">
          <Button onClick={more}>{moreText}</Button>
        </p>
      )}
    </>
  );
}
