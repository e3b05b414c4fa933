import { useEffect, useRef, useState } from 'preact/hooks';
import { TapedeckError } from '../../../clients/typescript/src/client-errors.ts';
import { priceText } from '../format-values.ts';
import { watchDownloads, type Connection } from '../live-jobs.ts';
import { navigate, pathTo } from '../router.ts';
import type { Download } from '../types.ts';
import { Field, Form, Select } from '../ui/controls.tsx';
import { List, Row, useList } from '../ui/list.tsx';
import { Ago, Status } from '../ui/parts.tsx';
import { NothingYet, Title } from '../ui/page.tsx';
import { LiveMark, ProgressLine } from '../job/progress.tsx';
import { STATUS_NAMES, TYPES } from '../words.ts';

const RECENT_ITEMS = 5;
/** Changes within this time are loaded together, since jobs often start or end together. */
const GATHER_MS = 500;
const FILTERS = ['type', 'status', 'media_id', 'created_after'] as const;

export function Jobs({ query }: { readonly query: URLSearchParams }) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
  const { list, connection } = useJobs(filters);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const empty = <NothingYet>{isFiltered ? 'No job matches these filters.' : 'There are no jobs yet.'}</NothingYet>;
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
      <List list={{ entries: list.entries, thrown: undefined }} keyOf={({ id }) => id}>
        {(download) => <JobRow download={download} />}
      </List>
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
    <Form class="filters" role="search" aria-label="Filters" onSend={() => change('media_id', media.trim())}>
      {choice('status', 'State', STATUS_NAMES)}
      {choice('type', 'Kind', Object.fromEntries(Object.entries(TYPES).map(([type, { name }]) => [type, name])))}
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
    </Form>
  );
}

function JobRow({ download }: { readonly download: Download }) {
  return (
    <Row
      href={pathTo('job', { id: download.id })}
      icon={TYPES[download.type].icon}
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
  return title ?? TYPES[download.type].name;
}

export function detailOf(download: Download, title = download.title): string {
  const subject = download.type === 'media' ? download.url : download.media_id;
  return title === undefined ? subject : `${TYPES[download.type].name} · ${subject}`;
}

function useJobs(filters: Filters, limit?: number) {
  const { again, ...list } = useList<Download>('/api/downloads', 'downloads', { query: filters, limit });
  const [connection, setConnection] = useState<Connection>('connecting');
  const [problem, setProblem] = useState<unknown>();
  /** Records in the list that have changed since it was loaded. */
  const [changed, setChanged] = useState<ReadonlyMap<string, Download>>(new Map());
  const entries = list.entries?.map((one) => changed.get(one.id) ?? one);
  const shown = useRef(entries);
  shown.current = entries;
  useEffect(() => {
    let late: ReturnType<typeof setTimeout> | undefined;
    let isOpened = false;
    const stop = watchDownloads({
      onConnection: (next) => {
        setConnection(next);
        if (next !== 'live') return;
        // Jobs that changed while the connection was lost sent no event.
        if (isOpened) {
          setChanged(new Map());
          again();
        }
        isOpened = true;
      },
      onProblem: setProblem,
      onChange: (record) => {
        const known = shown.current?.find(({ id }) => id === record.id);
        if (known !== undefined) setChanged((before) => new Map(before).set(record.id, record));
        if (known?.status === record.status) return;
        // Only the service can decide whether a job matches the filter; many changes share one request.
        late ??= setTimeout(() => {
          late = undefined;
          again();
        }, GATHER_MS);
      },
    });
    return () => {
      clearTimeout(late);
      stop();
    };
  }, [again]);
  // The mark of the connection shows that the service cannot be reached.
  const isOffline = list.thrown instanceof TapedeckError && list.thrown.code === 'unreachable';
  return { list: { ...list, entries, thrown: isOffline ? undefined : (list.thrown ?? problem) }, connection };
}
