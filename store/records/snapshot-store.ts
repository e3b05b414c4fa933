import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import { optional } from '../../runtime/optional.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** A snapshot of a job. One job may need several, each for a part of its own. */
export interface SnapshotKey {
  readonly recordId: string;
  readonly part: string;
}

/** Somebody has begun to start a snapshot, and nobody knows yet how that went. Times are since 1970. */
export interface OpenClaim {
  readonly claimId: string;
  readonly sinceMs: number;
  /** When the request had ended without a usable answer; absent while it runs, and when its worker died. */
  readonly endedAtMs?: number;
}

/**
 * `mine`: whoever asked may send the request that starts the snapshot; `theirs`: another one has begun that; otherwise
 * the snapshot that was started.
 */
export type SnapshotClaim =
  | { readonly state: 'mine'; readonly claimId: string }
  | ({ readonly state: 'theirs' } & OpenClaim)
  | { readonly state: 'started'; readonly snapshotId: string };

interface SnapshotDocument extends OpenClaim {
  readonly _id: string;
  readonly snapshotId?: string;
}

/** By the snapshot's id the claim that has it. It stays when the claim is forgotten: such a snapshot is of no use. */
interface HolderDocument {
  _id: string;
  claimId: string;
}

/** Which snapshots jobs have started, so that none is started, and paid, twice. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>;

export function createSnapshotStore(db: Db) {
  const snapshots: Collection<SnapshotDocument> = db.collection('snapshots');
  const holders: Collection<HolderDocument> = db.collection('snapshot_holders');
  const idOf = ({ recordId, part }: SnapshotKey): string => `${recordId}/${part}`;
  /** @returns the claim that has the snapshot from now on */
  const hold = async (snapshotId: string, claimId: string): Promise<string> =>
    (await upsertOne(holders, snapshotId, { $setOnInsert: { claimId } })).claimId;
  const keep = async (key: SnapshotKey, snapshotId: string): Promise<void> => {
    await snapshots.updateOne({ _id: idOf(key) }, { $set: { snapshotId } });
  };
  return {
    /** Notes that the snapshot is about to be started, unless that is noted already. @param nowMs since 1970 */
    async claim(key: SnapshotKey, nowMs: number): Promise<SnapshotClaim> {
      const claimId = randomUUID();
      const note = await upsertOne(snapshots, idOf(key), { $setOnInsert: { claimId, sinceMs: nowMs } });
      if (note.snapshotId !== undefined) return { state: 'started', snapshotId: note.snapshotId };
      if (note.claimId === claimId) return { state: 'mine', claimId };
      const { sinceMs, endedAtMs } = note;
      return { state: 'theirs', claimId: note.claimId, sinceMs, ...optional('endedAtMs', endedAtMs) };
    },
    /** Keeps the id of the snapshot, as the provider told it to the one who has the claim. */
    async started(key: SnapshotKey, claimId: string, snapshotId: string): Promise<void> {
      // Should a job that asked for the same have taken it over just now, both read it.
      await hold(snapshotId, claimId);
      await keep(key, snapshotId);
    },
    /** Notes that the request is over, and that nobody knows whether it started a snapshot. */
    async ended(key: SnapshotKey, claimId: string, nowMs: number): Promise<void> {
      await snapshots.updateOne({ _id: idOf(key), claimId }, { $set: { endedAtMs: nowMs } });
    },
    /** Whether no other claim has the snapshot, or ever had it. */
    async isFree(snapshotId: string, claimId: string): Promise<boolean> {
      const holder = await holders.findOne({ _id: snapshotId });
      return holder === null || holder.claimId === claimId;
    },
    /**
     * Keeps a snapshot that the provider has started, and told nobody of. May be repeated.
     *
     * @returns false when another claim has it
     */
    async takeOver(key: SnapshotKey, claimId: string, snapshotId: string): Promise<boolean> {
      if ((await hold(snapshotId, claimId)) !== claimId) return false;
      await keep(key, snapshotId);
      return true;
    },
    /** Nothing was started after all: the next one may claim it. */
    async release(key: SnapshotKey, claimId: string): Promise<void> {
      await snapshots.deleteOne({ _id: idOf(key), claimId });
    },
    /** Nothing will come of the snapshot: another may be started. */
    async forget(key: SnapshotKey, snapshotId: string): Promise<void> {
      await snapshots.deleteOne({ _id: idOf(key), snapshotId });
    },
  };
}
