import { randomBytes } from 'node:crypto';
import type { DatasetName, Wanted } from './collect.ts';

export interface Snapshot {
  readonly id: string;
  readonly dataset: DatasetName;
  readonly wanted: readonly Wanted[];
  /** User names that it is about. */
  readonly accounts: readonly string[];
  readonly startedAtMs: number;
  readonly readyAtMs: number;
  /** Until then a download answers 202, although the progress says `ready`. */
  readonly downloadableAtMs: number;
  readonly linksExpireAtMs: number;
  /** Why it fails when it would be ready. */
  readonly failure: string | undefined;
}

export interface SnapshotTimes {
  readonly collectMs: number;
  readonly buildMs: number;
  readonly linksLiveMs: number;
}

export interface Snapshots {
  start(what: Pick<Snapshot, 'dataset' | 'wanted' | 'accounts' | 'failure'>, times: SnapshotTimes): Snapshot;
  find(id: string): Snapshot | undefined;
  /** What `/datasets/v3/progress/ID` answers. */
  progress(snapshot: Snapshot): object;
  count(): number;
}

/** Part of the time in which a snapshot is still `starting`. */
const STARTING = 0.2;
const DATASET_IDS: Readonly<Record<DatasetName, string>> = {
  profiles: 'gd_l1vikfch901nx3by4',
  posts: 'gd_lk5ns7kz21pck8jpis',
  reels: 'gd_lyclm20il4r5helnj',
};

/** @param now milliseconds since 1970 */
export function createSnapshots(now: () => number): Snapshots {
  const snapshots = new Map<string, Snapshot>();
  return {
    start(what, { collectMs, buildMs, linksLiveMs }) {
      const startedAtMs = now();
      const readyAtMs = startedAtMs + collectMs;
      const snapshot: Snapshot = {
        ...what,
        id: `s_${randomBytes(12).toString('hex')}`,
        startedAtMs,
        readyAtMs,
        downloadableAtMs: readyAtMs + buildMs,
        linksExpireAtMs: readyAtMs + linksLiveMs,
      };
      snapshots.set(snapshot.id, snapshot);
      return snapshot;
    },
    find: (id) => snapshots.get(id),
    progress({ id, dataset, startedAtMs, readyAtMs, failure }) {
      const told = { snapshot_id: id, dataset_id: DATASET_IDS[dataset] };
      if (now() < readyAtMs) {
        const starting = now() < startedAtMs + (readyAtMs - startedAtMs) * STARTING;
        return { ...told, status: starting ? 'starting' : 'running' };
      }
      if (failure !== undefined) return { ...told, status: 'failed', error_message: failure };
      return { ...told, status: 'ready', collection_duration: readyAtMs - startedAtMs };
    },
    count: () => snapshots.size,
  };
}
