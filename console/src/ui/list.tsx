import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { read } from '../console-api.ts';
import { Button } from './controls.tsx';
import { useLoaded } from './hooks.ts';
import type { IconName } from './icons.tsx';
import { Badge, ErrorNotice, Loading } from './parts.tsx';

const PAGE_ENTRIES = 50;

export interface LoadedList<Entry> {
  readonly entries: readonly Entry[] | undefined;
  readonly thrown: unknown;
  readonly again: () => void;
  /** Loads the next page; undefined at the end of the list. */
  readonly more: (() => void) | undefined;
}

interface ListOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly limit?: number | undefined;
  /** A changed one loads the list again. */
  readonly version?: string;
}

/** Loads a list of the service, page by page as the user wants. @param name the field of the answer that has the entries */
export function useList<Entry>(
  path: string,
  name: string,
  { query = {}, limit = PAGE_ENTRIES, version = '' }: ListOptions = {},
): LoadedList<Entry> {
  const [most, setMost] = useState(limit);
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const fixed = new URLSearchParams([['limit', String(limit)], ...given]).toString();
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
    more: value?.isMore === true ? () => setMost(most + limit) : undefined,
  };
}

interface RowProps {
  /** Absent if there is no page about it. */
  readonly href?: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly failure?: string | null | undefined;
  readonly end: ComponentChildren;
}

export function Row({ href, icon, title, detail, children, failure = null, end }: RowProps) {
  return (
    <a class="job-row" {...(href !== undefined && { href })}>
      <Badge icon={icon} />
      <span class="job-what">
        <strong class="clip" dir="auto">
          {title}
        </strong>{' '}
        <span class="quiet clip" dir="auto">
          {detail}
        </span>
        {children}
        {failure === null ? null : (
          <span class="bad clip" dir="auto">
            {failure}
          </span>
        )}
      </span>
      <span class="job-end">{end}</span>
    </a>
  );
}

interface ListProps<Entry> {
  readonly list: Pick<LoadedList<Entry>, 'entries' | 'thrown'> & Partial<LoadedList<Entry>>;
  /** Shown instead of an empty list. */
  readonly empty?: ComponentChildren;
  readonly more?: string;
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
