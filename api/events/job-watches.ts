import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Progress } from '../../contract/http/fields.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';

/** How a job stands, and the id of the event that tells it. */
export interface JobState {
  readonly eventId: string;
  readonly record: DownloadRecord;
  /** What it does while it runs, as far as that is known. */
  readonly progress?: Progress | undefined;
}

/** The same state has the same id in every process, so that nobody is told it twice. */
export function stateOf(record: DownloadRecord, progress?: Progress): JobState {
  const state = record.status === 'pending' ? digestOf([record.price, progress]) : record.status;
  return { eventId: `${record.id}-${state}`, record, progress };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}

export interface LookLimits {
  /** A job is looked at once in that time at most, in milliseconds: each look asks Temporal once. */
  readonly everyMs: number;
  /** How many jobs are looked at in it that somebody follows by themselves. */
  readonly followed: number;
  /** How many of those that only streams of all downloads follow. */
  readonly listed: number;
  /** How often a list is looked at for downloads that other processes have accepted, in milliseconds. */
  readonly listsEveryMs: number;
}
export const LOOK_LIMITS: LookLimits = { everyMs: 1_000, followed: 40, listed: 20, listsEveryMs: 5_000 };

interface WatchesOptions {
  /** Reads how a job stands; where its workflow is gone, that ends its record. */
  readonly look: (recordId: string) => Promise<Pick<JobState, 'record' | 'progress'>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: LookLimits;
}

type Listener = (state: JobState) => void;
export interface Follower {
  /** Callers are served in turn. */
  readonly caller: string;
  /** Whether it follows the job among those of a list. */
  readonly isListed?: boolean;
}
interface Watch {
  readonly listeners: Map<Listener, Follower>;
  state: JobState | undefined;
  /** When the last look began that told something. */
  lookedMs: number;
}

export type JobWatches = ReturnType<typeof createJobWatches>;

/**
 * Looks at jobs while somebody follows them: once a second, for however many. One round serves all jobs of the process;
 * where there are more than it may look at, callers are served in turn, and of each caller the job that waited longest.
 */
export function createJobWatches({ look, now, log, limits }: WatchesOptions) {
  /** In the order in which they were looked at, the last look at the end. */
  const watches = new Map<string, Watch>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isFailing = false;
  let roundMs = -Infinity;
  let completeMs = 0;

  const lookAt = async (id: string, watch: Watch): Promise<void> => {
    const beganMs = now();
    const { record, progress } = await look(id);
    watch.lookedMs = beganMs;
    // Temporal may not have answered: what was known then still stands.
    const state = stateOf(record, record.status === 'pending' ? (progress ?? watch.state?.progress) : undefined);
    if (watches.get(id) !== watch || watch.state?.eventId === state.eventId) return;
    watch.state = state;
    // Whoever comes after the end reads the record.
    if (record.status !== 'pending') watches.delete(id);
    for (const listener of [...watch.listeners.keys()]) listener(state);
  };
  const round = async (): Promise<void> => {
    isLooking = true;
    roundMs = performance.now();
    const due = [
      ...inTurn(watches, limits.followed, ({ isListed }) => isListed !== true),
      ...inTurn(watches, limits.listed, ({ isListed }) => isListed === true),
    ];
    for (const [id, watch] of due) {
      watches.delete(id);
      watches.set(id, watch);
    }
    const looks = await Promise.allSettled(due.map(([id, watch]) => lookAt(id, watch)));
    const failed = looks.filter((one) => one.status === 'rejected');
    // Once, and not every second while the database is away.
    if (failed[0] !== undefined && !isFailing) {
      log.warn({ err: failed[0].reason as unknown, jobs: failed.length }, 'followed jobs could not be looked at');
    }
    isFailing = failed.length > 0;
    completeMs = now();
    for (const { lookedMs } of watches.values()) completeMs = Math.min(completeMs, lookedMs);
    isLooking = false;
    plan();
  };
  const plan = (): void => {
    if (isLooking || timer !== undefined || watches.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void round();
      },
      Math.max(0, roundMs + limits.everyMs - performance.now()),
    ).unref();
  };

  return {
    /**
     * Tells how a pending job stands: at once where that is known, and whenever it changes, its end last.
     *
     * @returns ends that
     */
    watch(id: string, follower: Follower, listener: Listener): () => void {
      const watch = watches.get(id) ?? { listeners: new Map(), state: undefined, lookedMs: now() };
      watches.set(id, watch);
      watch.listeners.set(listener, follower);
      if (watch.state !== undefined) listener(watch.state);
      plan();
      return () => {
        if (!watch.listeners.delete(listener)) return;
        if (watch.listeners.size === 0 && watches.get(id) === watch) watches.delete(id);
      };
    },
    /** How a job that is followed stood when it was looked at last. */
    known: (id: string): JobState | undefined => watches.get(id)?.state,
    /** Every end of a followed job was told that could be seen before this moment, in milliseconds since 1970. */
    completeMs: (): number => (watches.size === 0 ? now() : completeMs),
  };
}

/** @returns the jobs to look at next: of each caller in turn the one that waited longest, the caller served last at the end */
function inTurn(
  watches: ReadonlyMap<string, Watch>,
  most: number,
  isWanted: (follower: Follower) => boolean,
): (readonly [string, Watch])[] {
  const jobsBy = new Map<string, (readonly [string, Watch])[]>();
  for (const job of watches) {
    const callers = [...job[1].listeners.values()].filter(isWanted).map(({ caller }) => caller);
    for (const caller of new Set(callers)) {
      const jobs = jobsBy.get(caller) ?? [];
      jobs.push(job);
      // Callers come in the order of their last looks, as jobs do.
      jobsBy.delete(caller);
      jobsBy.set(caller, jobs);
    }
  }
  const due = new Map<string, Watch>();
  const longest = Math.max(0, ...[...jobsBy.values()].map(({ length }) => length));
  for (let rank = 0; rank < longest; rank += 1) {
    for (const jobs of jobsBy.values()) {
      if (due.size >= most) return [...due];
      const job = jobs[rank];
      if (job !== undefined) due.set(...job);
    }
  }
  return [...due];
}
