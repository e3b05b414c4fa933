import type { Collection, Db } from 'mongodb';

/** Begins with the time, because the embedded server scans for any filter but `_id`. */
interface PlannedRemoval {
  /** The time as milliseconds since 1970, and the ID of the record. */
  _id: string;
}

const PAGE = 100;

/** The records whose contents are to be removed, because the request that started their job limits how long they are kept. */
export type PlannedRemovals = ReturnType<typeof createPlannedRemovals>;

export function createPlannedRemovals(db: Db) {
  const removals: Collection<PlannedRemoval> = db.collection('planned_removals');
  return {
    /** May be repeated with the same time. */
    async add(recordId: string, dueMs: number): Promise<void> {
      const filter = { _id: `${sortable(dueMs)}/${recordId}` };
      await removals.updateOne(filter, { $setOnInsert: filter }, { upsert: true });
    },
    /** @param after the entry after which the page begins @returns the oldest entries that are due, with their records */
    async due(nowMs: number, after = ''): Promise<readonly { readonly entry: string; readonly recordId: string }[]> {
      const filter = { _id: { $gt: after, $lt: sortable(nowMs) } };
      const found = await removals.find(filter).sort({ _id: 1 }).limit(PAGE).toArray();
      return found.map(({ _id }) => ({ entry: _id, recordId: _id.slice(_id.indexOf('/') + 1) }));
    },
    async remove(entry: string): Promise<void> {
      await removals.deleteOne({ _id: entry });
    },
  };
}

function sortable(ms: number): string {
  return String(ms).padStart(14, '0');
}
