import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Progress } from '../../contract/http/fields.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';

export interface JobState {
  readonly eventId: string;
  readonly record: DownloadRecord;
  readonly progress?: Progress | undefined;
}

/** A state has the same event ID in every process, so that no reader receives it twice. */
export function stateOf(record: DownloadRecord, progress?: Progress): JobState {
  const state = record.status === 'pending' ? digestOf([record.price, progress]) : record.status;
  return { eventId: `${record.id}-${state}`, record, progress };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}

export const WATCH_LIMITS = {
  /** The minimum time between two reads of a job, in milliseconds: each read is one call of Temporal. */
  everyMs: 1_000,
  /** How many jobs with a reader of their own are read in that time. */
  followed: 40,
  /** How many jobs are read in that time that only streams of all downloads follow. */
  listed: 20,
  /** How often a list is read for downloads that other processes have accepted, in milliseconds. */
  listsEveryMs: 5_000,
};
export type WatchLimits = Readonly<typeof WATCH_LIMITS>;

interface WatchesOptions {
  /** Reads the state of a job; if its workflow is gone, this ends the record. */
  readonly readJob: (recordId: string) => Promise<Pick<JobState, 'record' | 'progress'>>;
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: WatchLimits;
}

type Listener = (state: JobState) => void;
export interface Follower {
  readonly caller: string;
  readonly isListed?: boolean;
}
interface Watch {
  readonly listeners: Map<Listener, Follower>;
  state: JobState | undefined;
  readMs: number;
}

export type JobWatches = ReturnType<typeof createJobWatches>;

/**
 * Reads each job that has readers once a second. If a round cannot read all jobs of the process, callers are served
 * alternately, each with the job that has waited longest.
 */
export function createJobWatches({ readJob, now, log, limits }: WatchesOptions) {
  /** In the order of their last reads. */
  const watches = new Map<string, Watch>();
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let isFailing = false;
  let roundMs = -Infinity;
  let completeMs = 0;

  const read = async (id: string, watch: Watch): Promise<void> => {
    const beganMs = now();
    const { record, progress } = await readJob(id);
    watch.readMs = beganMs;
    // Temporal may not have answered; then the known state remains.
    const state = stateOf(record, record.status === 'pending' ? (progress ?? watch.state?.progress) : undefined);
    if (watches.get(id) !== watch || watch.state?.eventId === state.eventId) return;
    watch.state = state;
    if (record.status !== 'pending') watches.delete(id);
    for (const listener of [...watch.listeners.keys()]) listener(state);
  };
  const round = async (): Promise<void> => {
    isReading = true;
    roundMs = performance.now();
    const due = [
      ...roundRobin(watches, limits.followed, ({ isListed }) => isListed !== true),
      ...roundRobin(watches, limits.listed, ({ isListed }) => isListed === true),
    ];
    for (const [id, watch] of due) {
      watches.delete(id);
      watches.set(id, watch);
    }
    const reads = await Promise.allSettled(due.map(([id, watch]) => read(id, watch)));
    const failed = reads.filter((one) => one.status === 'rejected');
    // Logged once, not every second while the database cannot be reached.
    if (failed[0] !== undefined && !isFailing) {
      log.warn({ err: failed[0].reason as unknown, jobs: failed.length }, 'followed jobs could not be read');
    }
    isFailing = failed.length > 0;
    completeMs = now();
    for (const { readMs } of watches.values()) completeMs = Math.min(completeMs, readMs);
    isReading = false;
    plan();
  };
  const plan = (): void => {
    if (isReading || timer !== undefined || watches.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void round();
      },
      Math.max(0, roundMs + limits.everyMs - performance.now()),
    ).unref();
  };

  return {
    watch(id: string, follower: Follower, listener: Listener): () => void {
      const watch = watches.get(id) ?? { listeners: new Map(), state: undefined, readMs: now() };
      watches.set(id, watch);
      watch.listeners.set(listener, follower);
      if (watch.state !== undefined) listener(watch.state);
      plan();
      return () => {
        if (!watch.listeners.delete(listener)) return;
        if (watch.listeners.size === 0 && watches.get(id) === watch) watches.delete(id);
      };
    },
    known: (id: string): JobState | undefined => watches.get(id)?.state,
    /** All ends of followed jobs before this time have been reported, in milliseconds since 1970. */
    completeMs: (): number => (watches.size === 0 ? now() : completeMs),
  };
}

/** @returns the jobs to read next: for each caller the one that has waited longest, the caller that was served last at the end */
function roundRobin(
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
      // Callers are in the order of their last reads, like jobs.
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
