import type { Logger } from 'pino';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { LIST_MAX_ITEMS } from '../../contract/request-limits.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
import { WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { stateOf, type JobState, type JobWatches, type WatchLimits } from './job-watches.ts';
import { LATE_MS } from './position.ts';

/** A read of a large collection takes seconds of the embedded database, so the pause is a multiple of its duration. */
const PAUSE_PER_READ = 20;
/** A database that hung once must not stop the events of a feed for minutes. */
const LONGEST_PAUSE_MS = 30_000;
/** The number of the newest downloads that a feed reports. */
const OPEN_MAX = 5 * LIST_MAX_ITEMS;

/** Downloads that are pending, or that have ended since a time (ISO 8601 with microseconds). */
type OpenFilter = ({ readonly status: 'pending' } | { readonly openSince: string }) & { readonly limit: number };

interface Newest {
  readonly ids: readonly string[];
  readonly records: readonly DownloadRecord[];
}

interface FeedsOptions {
  readonly watches: JobWatches;
  readonly open: (caller: Caller, filter: OpenFilter) => Promise<readonly DownloadRecord[]>;
  /** The newest downloads of a caller's list: all IDs, and at least the records that are not known. */
  readonly newest: (caller: Caller, known: ReadonlySet<string>) => Promise<Newest>;
  /** Identifies the list of a caller; callers without a key share one. */
  readonly listIdOf: (caller: Caller) => string;
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: WatchLimits;
}

type Reader = (state: JobState) => void;
interface Feed {
  readonly caller: Caller;
  readonly readers: Set<Reader>;
  readonly jobs: Map<string, () => void>;
  known: Set<string>;
  sinceMs: number;
  /** When the last successful read of the list started. */
  readMs: number;
  timer?: NodeJS.Timeout;
}

export type DownloadFeeds = ReturnType<typeof createDownloadFeeds>;

/** Follows the downloads of a caller for all its readers: those of this process at once, others when the list is read again. */
export function createDownloadFeeds({ watches, open, newest, listIdOf, now, log, limits }: FeedsOptions) {
  const feeds = new Map<string, Feed>();

  const report = (feed: Feed, state: JobState): void => {
    for (const reader of [...feed.readers]) reader(state);
  };
  const follow = (feed: Feed, id: string): void => {
    if (feed.jobs.has(id)) return;
    const leave = watches.watch(id, { caller: listIdOf(feed.caller), isListed: true }, (state) => {
      if (state.record.status !== 'pending') feed.jobs.delete(id);
      report(feed, state);
    });
    feed.jobs.set(id, leave);
  };
  const add = (feed: Feed, record: DownloadRecord): void => {
    if (feed.known.has(record.id)) return;
    feed.known.add(record.id);
    if (record.status === 'pending') follow(feed, record.id);
    // A key may have requested an old result, which is not an event.
    else if (Date.parse(record.finishedAt) >= Math.max(feed.sinceMs, feed.readMs - LATE_MS)) {
      report(feed, stateOf(record));
    }
  };
  const readList = async (feed: Feed): Promise<void> => {
    const beganMs = now();
    const begun = performance.now();
    try {
      const { ids, records } = await newest(feed.caller, feed.known);
      if (feed.readers.size === 0) return;
      for (const record of records) add(feed, record);
      feed.known = new Set([...ids, ...feed.jobs.keys()]);
      feed.readMs = beganMs;
      // The earlier time may be in the future if the system clock was set back.
      feed.sinceMs = Math.min(feed.sinceMs, beganMs);
    } catch (error) {
      log.warn({ err: error }, 'the list of downloads could not be read');
    }
    if (feed.readers.size > 0) readListLater(feed, performance.now() - begun);
  };
  const readListLater = (feed: Feed, tookMs: number): void => {
    const waitMs = Math.max(limits.listsEveryMs, Math.min(LONGEST_PAUSE_MS, PAUSE_PER_READ * tookMs));
    feed.timer = setTimeout(() => void readList(feed), waitMs).unref();
  };
  const feedOf = (caller: Caller): Feed => {
    const listId = listIdOf(caller);
    const feed = feeds.get(listId);
    if (feed !== undefined) return feed;
    const nowMs = now();
    const times = { sinceMs: nowMs, readMs: nowMs };
    const fresh: Feed = { caller, readers: new Set(), jobs: new Map(), known: new Set(), ...times };
    feeds.set(listId, fresh);
    readListLater(fresh, 0);
    return fresh;
  };

  return {
    enter(caller: Caller, reader: Reader) {
      const feed = feedOf(caller);
      feed.readers.add(reader);
      return {
        async current(sinceMs: number | undefined): Promise<readonly JobState[]> {
          const isOpen =
            sinceMs === undefined ? { status: 'pending' as const } : { openSince: formatMicroseconds(sinceMs * 1000) };
          const records = await open(caller, { ...isOpen, limit: OPEN_MAX });
          if (!feed.readers.has(reader)) return [];
          return records.flatMap((record) => {
            feed.known.add(record.id);
            if (record.status !== 'pending') return [stateOf(record)];
            follow(feed, record.id);
            return watches.known(record.id) ?? [];
          });
        },
        /** All ends before this time have been reported, in milliseconds since 1970. */
        completeMs: (): number => Math.min(feed.readMs, watches.completeMs()) - LATE_MS,
        leave(): void {
          feed.readers.delete(reader);
          if (feed.readers.size > 0) return;
          clearTimeout(feed.timer);
          for (const leaveJob of feed.jobs.values()) leaveJob();
          feed.jobs.clear();
          if (feeds.get(listIdOf(caller)) === feed) feeds.delete(listIdOf(caller));
        },
      };
    },
    accepted(caller: Caller, record: DownloadRecord): void {
      for (const feed of feeds.values()) if (isListed(record, { by: caller, to: feed.caller })) add(feed, record);
    },
  };
}

/** Whether the list of a caller contains a download that another caller has requested: the same rule as for `listed`. */
function isListed(
  { type, startedBy, chargedTo }: DownloadRecord,
  { by, to }: { readonly by: Caller; readonly to: Caller },
): boolean {
  if (type === 'media_info') return false;
  switch (to.kind) {
    case 'service':
      return true;
    case 'key':
      return by.kind === 'key' && by.key.id === to.key.id;
    case 'anonymous':
      return chargedTo === undefined && startedBy === WITHOUT_KEY;
  }
}
