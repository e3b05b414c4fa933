import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import { optional } from '../../runtime/optional.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** Identifies a snapshot of a job. A job may need several, each for one part. */
export interface SnapshotKey {
  readonly recordId: string;
  readonly part: string;
}

/** A request to start a snapshot whose outcome is unknown. Times are in milliseconds since 1970. */
export interface OpenClaim {
  readonly claimId: string;
  readonly sinceMs: number;
  /** When the request ended without a usable response; absent while it runs, and when its worker died. */
  readonly endedAtMs?: number;
}

/** `mine`: the caller may start the snapshot; `theirs`: another worker has sent the request; `started`: it exists. */
type SnapshotClaim =
  | { readonly state: 'mine'; readonly claimId: string }
  | ({ readonly state: 'theirs' } & OpenClaim)
  | { readonly state: 'started'; readonly snapshotId: string };

interface SnapshotDocument extends OpenClaim {
  readonly _id: string;
  readonly snapshotId?: string;
}

/** The snapshots that jobs have started, so that none is started and paid twice. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>;

export function createSnapshotStore(db: Db) {
  const snapshots: Collection<SnapshotDocument> = db.collection('snapshots');
  // The claim of each snapshot. It outlives the claim itself, so that no other job uses a snapshot that was found useless.
  const holders = db.collection<{ _id: string; claimId: string }>('snapshot_holders');
  const idOf = ({ recordId, part }: SnapshotKey): string => `${recordId}/${part}`;
  const hold = async (snapshotId: string, claimId: string): Promise<string> =>
    (await upsertOne(holders, snapshotId, { $setOnInsert: { claimId } })).claimId;
  const keep = async (key: SnapshotKey, snapshotId: string): Promise<void> => {
    await snapshots.updateOne({ _id: idOf(key) }, { $set: { snapshotId } });
  };
  return {
    /** Claims the snapshot before it is started, unless another claim exists. @param nowMs since 1970 */
    async claim(key: SnapshotKey, nowMs: number): Promise<SnapshotClaim> {
      const claimId = randomUUID();
      const note = await upsertOne(snapshots, idOf(key), { $setOnInsert: { claimId, sinceMs: nowMs } });
      if (note.snapshotId !== undefined) return { state: 'started', snapshotId: note.snapshotId };
      if (note.claimId === claimId) return { state: 'mine', claimId };
      const { sinceMs, endedAtMs } = note;
      return { state: 'theirs', claimId: note.claimId, sinceMs, ...optional('endedAtMs', endedAtMs) };
    },
    async started(key: SnapshotKey, claimId: string, snapshotId: string): Promise<void> {
      // If another job has just taken it over for the same part, both read it.
      await hold(snapshotId, claimId);
      await keep(key, snapshotId);
    },
    /** Records that the request ended, and that it is unknown whether it started a snapshot. */
    async ended(key: SnapshotKey, claimId: string, nowMs: number): Promise<void> {
      await snapshots.updateOne({ _id: idOf(key), claimId }, { $set: { endedAtMs: nowMs } });
    },
    /** Whether no other claim has ever owned the snapshot. */
    async isFree(snapshotId: string, claimId: string): Promise<boolean> {
      const holder = await holders.findOne({ _id: snapshotId });
      return holder === null || holder.claimId === claimId;
    },
    /** Stores a snapshot that the provider started but did not report. @returns false when another claim owns it */
    async takeOver(key: SnapshotKey, claimId: string, snapshotId: string): Promise<boolean> {
      if ((await hold(snapshotId, claimId)) !== claimId) return false;
      await keep(key, snapshotId);
      return true;
    },
    /** Deletes a claim whose request started nothing, so that the snapshot may be claimed again. */
    async release(key: SnapshotKey, claimId: string): Promise<void> {
      await snapshots.deleteOne({ _id: idOf(key), claimId });
    },
    async forget(key: SnapshotKey, snapshotId: string): Promise<void> {
      await snapshots.deleteOne({ _id: idOf(key), snapshotId });
    },
  };
}
