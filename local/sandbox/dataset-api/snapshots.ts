import { randomBytes } from 'node:crypto';
import { DATASET_IDS, type DatasetName, type Wanted } from './collect.ts';

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

/** Part of the time in which a snapshot is still `starting`. */
const STARTING = 0.2;
/** @param now milliseconds since 1970 */
export function createSnapshots(now: () => number) {
  const snapshots = new Map<string, Snapshot>();
  return {
    start(
      what: Pick<Snapshot, 'dataset' | 'wanted' | 'accounts' | 'failure'>,
      { collectMs, buildMs, linksLiveMs }: { collectMs: number; buildMs: number; linksLiveMs: number },
    ): Snapshot {
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
    find: (id: string) => snapshots.get(id),
    /** What `/datasets/v3/progress/ID` answers. */
    progress({ id, dataset, startedAtMs, readyAtMs, failure }: Snapshot): object {
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
