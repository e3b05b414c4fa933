import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Problem, read } from '../console-api.ts';
import { priceText } from '../format-values.ts';
import { watchDownloads, type Connection } from '../live-jobs.ts';
import { navigate, pathTo } from '../router.ts';
import type { Download, DownloadPage } from '../types.ts';
import { Field, Select } from '../ui/controls.tsx';
import { List, Row } from '../ui/list.tsx';
import { Ago, Status, Title, TYPE_ICONS } from '../ui/parts.tsx';
import { LiveMark, ProgressLine } from '../job/progress.tsx';
import { STATUS_NAMES, TYPE_NAMES } from '../words.ts';

const PAGE_ITEMS = 50;
const RECENT_ITEMS = 5;
/** Changes within this time are loaded together, since jobs often start or end together. */
const GATHER_MS = 500;
const FILTERS = ['type', 'status', 'media_id', 'created_after'] as const;

export function Jobs({ query }: { readonly query: URLSearchParams }) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
  const { list, connection } = useJobs(filters, PAGE_ITEMS);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const empty = (
    <div class="empty">
      <p>{isFiltered ? 'No job matches these filters.' : 'There are no jobs yet.'}</p>
      <p>
        <a class="button button-main" href={pathTo('home')}>
          Fetch something
        </a>
      </p>
    </div>
  );
  return (
    <>
      <div class="heading">
        <Title>Jobs</Title>
        <LiveMark connection={connection} />
      </div>
      <JobFilters filters={filters} />
      <List list={list} empty={empty} more="Load older jobs" keyOf={({ id }) => id}>
        {(download) => <JobRow download={download} />}
      </List>
    </>
  );
}

export function RecentJobs() {
  const { list, connection } = useJobs({}, RECENT_ITEMS);
  if (list.entries === undefined || list.entries.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <div class="heading">
        <h2 id="recent">Newest jobs</h2>
        <LiveMark connection={connection} />
      </div>
      <ul class="jobs">
        {list.entries.slice(0, RECENT_ITEMS).map((download) => (
          <li key={download.id}>
            <JobRow download={download} />
          </li>
        ))}
      </ul>
      <p>
        <a href={pathTo('jobs')}>All jobs</a>
      </p>
    </section>
  );
}

type Filters = Readonly<Record<string, string>>;

function JobFilters({ filters }: { readonly filters: Filters }) {
  const [media, setMedia] = useState(filters['media_id'] ?? '');
  useEffect(() => setMedia(filters['media_id'] ?? ''), [filters['media_id']]);
  const change = (name: string, value: string): void =>
    navigate(pathTo('jobs', { ...filters, [name]: value }), { isReplaced: true });
  const choice = (name: string, label: string, options: Readonly<Record<string, string>>) => (
    <Select
      label={label}
      options={{ '': 'All', ...options }}
      value={filters[name] ?? ''}
      onChoice={(value) => change(name, value)}
    />
  );
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        change('media_id', media.trim());
      }}
    >
      {choice('status', 'State', STATUS_NAMES)}
      {choice('type', 'Kind', TYPE_NAMES)}
      <Field
        label="Since"
        type="date"
        value={(filters['created_after'] ?? '').slice(0, 10)}
        onText={(day) => change('created_after', day === '' ? '' : `${day}T00:00:00Z`)}
      />
      <Field
        label="About"
        width="grow"
        type="search"
        placeholder="Id of a video, name of an account…"
        value={media}
        onText={setMedia}
        onBlur={() => change('media_id', media.trim())}
      />
    </form>
  );
}

function JobRow({ download }: { readonly download: Download }) {
  return (
    <Row
      href={pathTo({ job: download.id })}
      icon={TYPE_ICONS[download.type]}
      title={titleOf(download)}
      detail={detailOf(download)}
      failure={download.response}
      end={
        <>
          <Status status={download.status} />
          <span class="quiet">
            <Ago time={download.created_at} />
            {download.status === 'failed' && Number(download.cost) === 0 ? null : (
              <>
                {' · '}
                <span class="price">{priceText(download.cost)}</span>
              </>
            )}
          </span>
        </>
      }
    >
      {download.status === 'pending' ? <ProgressLine progress={download.progress} /> : null}
    </Row>
  );
}

export function titleOf(download: Download, title = download.title): string {
  return title ?? TYPE_NAMES[download.type];
}

export function detailOf(download: Download, title = download.title): string {
  const subject = download.type === 'media' ? download.url : download.media_id;
  return title === undefined ? subject : `${TYPE_NAMES[download.type]} · ${subject}`;
}

function useJobs(filters: Filters, limit: number) {
  const search = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== '')).toString();
  const [downloads, setDownloads] = useState<readonly Download[]>();
  const shown = useRef(downloads);
  shown.current = downloads;
  /** Undefined until the first page has loaded. */
  const [next, setNext] = useState<string | null>();
  const [thrown, setThrown] = useState<unknown>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const page = useCallback(
    (cursor?: string, signal?: AbortSignal) => {
      const query = new URLSearchParams(search);
      query.set('limit', String(limit));
      if (cursor !== undefined) query.set('cursor', cursor);
      return read<DownloadPage>(`/api/downloads?${query.toString()}`, signal);
    },
    [search, limit],
  );
  useEffect(() => {
    const end = new AbortController();
    const refresh = (): void => {
      page(undefined, end.signal).then(
        (first) => {
          if (end.signal.aborted) return;
          setThrown(undefined);
          setDownloads((before) => merged(before, first.downloads));
          setNext((before) => (before === undefined ? first.next_cursor : before));
        },
        (error: unknown) => {
          if (!end.signal.aborted && !(error instanceof Problem && error.status === 0)) setThrown(error);
        },
      );
    };
    setDownloads(undefined);
    setNext(undefined);
    refresh();
    let late: ReturnType<typeof setTimeout> | undefined;
    let isOpened = false;
    const stop = watchDownloads({
      onConnection: (next) => {
        setConnection(next);
        // Jobs that ended while the connection was lost sent no event.
        if (next !== 'live') return;
        if (isOpened) refresh();
        isOpened = true;
      },
      onProblem: setThrown,
      onChange: (record) => {
        const known = shown.current?.find(({ id }) => id === record.id);
        setDownloads((before) => before?.map((one) => (one.id === record.id ? record : one)));
        if (known?.status === record.status) return;
        // Only the service can decide whether a job matches the filter; many changes share one request.
        late ??= setTimeout(() => {
          late = undefined;
          refresh();
        }, GATHER_MS);
      },
    });
    return () => {
      clearTimeout(late);
      stop();
      end.abort();
    };
  }, [page]);
  const more = (cursor: string) => (): void => {
    page(cursor).then(
      (older) => {
        setDownloads((before) => [...(before ?? []), ...older.downloads]);
        setNext(older.next_cursor);
      },
      (error: unknown) => setThrown(error),
    );
  };
  const list = { entries: downloads, thrown, more: typeof next === 'string' ? more(next) : undefined };
  return { list, connection };
}

/** Replaces the first page, and keeps the older jobs that were loaded below it. */
function merged(before: readonly Download[] | undefined, first: readonly Download[]): readonly Download[] {
  const oldest = first.at(-1)?.id;
  if (before === undefined || oldest === undefined) return first;
  return [...first, ...before.filter(({ id }) => id < oldest)];
}
