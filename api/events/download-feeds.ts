import type { Logger } from 'pino';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { LIST_MAX_ITEMS } from '../../contract/limits.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
import { WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { stateOf, type JobState, type JobWatches, type LookLimits } from './job-watches.ts';
import { LATE_MS } from './position.ts';

/** On a large collection a look takes seconds of the embedded database: it waits that many times as long for the next. */
const PAUSE_PER_LOOK = 20;
/** A database that hung for five seconds, once, must not silence a feed for minutes. */
const LONGEST_PAUSE_MS = 30_000;
/** Of older downloads nothing is told. */
const STANDING_MAX = 5 * LIST_MAX_ITEMS;

/** Those that are pending, or else have ended at that time or later: ISO 8601 with microseconds. */
type OpenFilter = ({ readonly status: 'pending' } | { readonly openSince: string }) & { readonly limit: number };

interface Newest {
  readonly ids: readonly string[];
  readonly records: readonly DownloadRecord[];
}

interface FeedsOptions {
  readonly watches: JobWatches;
  /** The open downloads of a caller's list. */
  readonly open: (caller: Caller, filter: OpenFilter) => Promise<readonly DownloadRecord[]>;
  /** The ids of the newest downloads of a caller's list, and the records of those that are not known. */
  readonly newest: (caller: Caller, known: ReadonlySet<string>) => Promise<Newest>;
  /** @returns who shares the list of a caller */
  readonly sharerOf: (caller: Caller) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: LookLimits;
}

type Reader = (state: JobState) => void;
interface Feed {
  readonly caller: Caller;
  readonly readers: Set<Reader>;
  /** Of each job that has not ended: ends its watch. */
  readonly jobs: Map<string, () => void>;
  /** IDs of downloads that have been seen. */
  known: Set<string>;
  sinceMs: number;
  /** When the last read of the list started. */
  lookedMs: number;
  timer?: NodeJS.Timeout;
}

export type DownloadFeeds = ReturnType<typeof createDownloadFeeds>;

/**
 * Follows all downloads of a caller's list, once for all readers. Downloads that this process accepts are reported at once, those
 * of other processes when the list is read again.
 */
export function createDownloadFeeds({ watches, open, newest, sharerOf, now, log, limits }: FeedsOptions) {
  const feeds = new Map<string, Feed>();

  const tell = (feed: Feed, state: JobState): void => {
    for (const reader of [...feed.readers]) reader(state);
  };
  const follow = (feed: Feed, id: string): void => {
    if (feed.jobs.has(id)) return;
    const leave = watches.watch(id, { caller: sharerOf(feed.caller), isListed: true }, (state) => {
      if (state.record.status !== 'pending') feed.jobs.delete(id);
      tell(feed, state);
    });
    feed.jobs.set(id, leave);
  };
  const meet = (feed: Feed, record: DownloadRecord): void => {
    if (feed.known.has(record.id)) return;
    feed.known.add(record.id);
    if (record.status === 'pending') follow(feed, record.id);
    // An old result that a key has just requested is not an event.
    else if (Date.parse(record.finishedAt) >= Math.max(feed.sinceMs, feed.lookedMs - LATE_MS)) {
      tell(feed, stateOf(record));
    }
  };
  const lookAround = async (feed: Feed): Promise<void> => {
    const beganMs = now();
    const begun = performance.now();
    try {
      const { ids, records } = await newest(feed.caller, feed.known);
      if (feed.readers.size === 0) return;
      for (const record of records) meet(feed, record);
      feed.known = new Set([...ids, ...feed.jobs.keys()]);
      feed.lookedMs = beganMs;
      // The time lies ahead after the system clock was set back.
      feed.sinceMs = Math.min(feed.sinceMs, beganMs);
    } catch (error) {
      log.warn({ err: error }, 'new downloads could not be looked for');
    }
    if (feed.readers.size > 0) lookLater(feed, performance.now() - begun);
  };
  const lookLater = (feed: Feed, tookMs: number): void => {
    const waitMs = Math.max(limits.listsEveryMs, Math.min(LONGEST_PAUSE_MS, PAUSE_PER_LOOK * tookMs));
    feed.timer = setTimeout(() => void lookAround(feed), waitMs).unref();
  };
  const feedOf = (caller: Caller): Feed => {
    const sharer = sharerOf(caller);
    const feed = feeds.get(sharer);
    if (feed !== undefined) return feed;
    const nowMs = now();
    const fresh: Feed = {
      ...{ caller, readers: new Set(), jobs: new Map(), known: new Set() },
      ...{ sinceMs: nowMs, lookedMs: nowMs },
    };
    feeds.set(sharer, fresh);
    lookLater(fresh, 0);
    return fresh;
  };

  return {
    /** Reports every change from now on to a reader, until it leaves. */
    enter(caller: Caller, reader: Reader) {
      const feed = feedOf(caller);
      feed.readers.add(reader);
      return {
        /**
         * The current state: the pending jobs that have been read (the others are reported when they are), and the ends since
         * then.
         */
        async standing(sinceMs: number | undefined): Promise<readonly JobState[]> {
          const isOpen = sinceMs === undefined ? { status: 'pending' as const } : { openSince: timeOf(sinceMs) };
          const records = await open(caller, { ...isOpen, limit: STANDING_MAX });
          if (!feed.readers.has(reader)) return [];
          return records.flatMap((record) => {
            feed.known.add(record.id);
            if (record.status !== 'pending') return [stateOf(record)];
            follow(feed, record.id);
            return watches.known(record.id) ?? [];
          });
        },
        /** Every end before this moment has been reported to the readers, in milliseconds since 1970. */
        completeMs: (): number => Math.min(feed.lookedMs, watches.completeMs()) - LATE_MS,
        leave(): void {
          feed.readers.delete(reader);
          if (feed.readers.size > 0) return;
          clearTimeout(feed.timer);
          for (const leaveJob of feed.jobs.values()) leaveJob();
          feed.jobs.clear();
          if (feeds.get(sharerOf(caller)) === feed) feeds.delete(sharerOf(caller));
        },
      };
    },
    /** Called when this process accepts a download. */
    accepted(caller: Caller, record: DownloadRecord): void {
      for (const feed of feeds.values()) if (isListed(record, { by: caller, to: feed.caller })) meet(feed, record);
    },
  };
}

/** The same rule as for the list of downloads: a key sees the downloads that it requested, services see all. */
function isListed(
  { startedBy, chargedTo }: DownloadRecord,
  { by, to }: { readonly by: Caller; readonly to: Caller },
): boolean {
  switch (to.kind) {
    case 'service':
      return true;
    case 'key':
      return by.kind === 'key' && by.key.id === to.key.id;
    case 'anonymous':
      return chargedTo === undefined && startedBy === WITHOUT_KEY;
  }
}

function timeOf(ms: number): string {
  return formatMicroseconds(ms * 1000);
}
