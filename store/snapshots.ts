import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import { upsert } from './upsert.ts';

/** A snapshot of a job. One job may need several, each for a part of its own. */
export interface SnapshotKey {
  readonly recordId: string;
  readonly part: string;
}

/**
 * `mine`: whoever asked may send the request that starts the snapshot; `theirs`: another one has begun that, and nobody
 * knows yet how it went; otherwise the snapshot that was started.
 */
export type SnapshotClaim =
  | { readonly state: 'mine'; readonly claimId: string }
  | { readonly state: 'theirs'; readonly sinceMs: number }
  | { readonly state: 'started'; readonly snapshotId: string };

/** Which snapshots jobs have started, so that none is started, and paid, twice. */
export interface SnapshotStore {
  /** Notes that the snapshot is about to be started, unless that is noted already. @param nowMs since 1970 */
  claim(key: SnapshotKey, nowMs: number): Promise<SnapshotClaim>;
  /** Keeps the id of the snapshot. */
  started(key: SnapshotKey, snapshotId: string): Promise<void>;
  /** Nothing was started after all: the next one may claim it. */
  release(key: SnapshotKey, claimId: string): Promise<void>;
  /** Nothing will come of the snapshot: another may be started. */
  forget(key: SnapshotKey, snapshotId: string): Promise<void>;
}

interface SnapshotDocument {
  _id: string;
  claimId: string;
  sinceMs: number;
  snapshotId?: string;
}

export function createSnapshotStore(db: Db): SnapshotStore {
  const snapshots: Collection<SnapshotDocument> = db.collection('snapshots');
  const idOf = ({ recordId, part }: SnapshotKey): string => `${recordId}/${part}`;
  return {
    async claim(key, nowMs) {
      const claimId = randomUUID();
      const note = await upsert(() =>
        snapshots.findOneAndUpdate(
          { _id: idOf(key) },
          { $setOnInsert: { claimId, sinceMs: nowMs } },
          { upsert: true, returnDocument: 'after' },
        ),
      );
      if (note === null) throw new Error(`the note of snapshot ${idOf(key)} is missing`);
      if (note.snapshotId !== undefined) return { state: 'started', snapshotId: note.snapshotId };
      return note.claimId === claimId ? { state: 'mine', claimId } : { state: 'theirs', sinceMs: note.sinceMs };
    },
    async started(key, snapshotId) {
      await snapshots.updateOne({ _id: idOf(key) }, { $set: { snapshotId } });
    },
    async release(key, claimId) {
      await snapshots.deleteOne({ _id: idOf(key), claimId });
    },
    async forget(key, snapshotId) {
      await snapshots.deleteOne({ _id: idOf(key), snapshotId });
    },
  };
}
