import type { Db } from 'mongodb';

export type TimedIds = ReturnType<typeof createTimedIds>;

const PAGE = 100;

/** IDs with a time, which begins their entries, because the embedded server has no TTL indexes and finds by `_id` only. */
export function createTimedIds(db: Db, collection: 'planned_removals' | 'idempotency_times') {
  const entries = db.collection<{ _id: string }>(collection);
  return {
    /** May be repeated with the same time. */
    async add(id: string, ms: number): Promise<void> {
      const filter = { _id: `${sortable(ms)}/${id}` };
      await entries.updateOne(filter, { $setOnInsert: filter }, { upsert: true });
    },
    /** Returns the IDs with an earlier time, oldest first. They may be removed meanwhile. */
    async *before(ms: number): AsyncGenerator<{ readonly entry: string; readonly id: string }> {
      for (let after = ''; ;) {
        const filter = { _id: { $gt: after, $lt: sortable(ms) } };
        const page = await entries.find(filter).sort({ _id: 1 }).limit(PAGE).toArray();
        if (page.length === 0) return;
        for (const { _id: entry } of page) yield { entry: (after = entry), id: entry.slice(entry.indexOf('/') + 1) };
      }
    },
    async remove(entry: string): Promise<void> {
      await entries.deleteOne({ _id: entry });
    },
  };
}

function sortable(ms: number): string {
  return String(ms).padStart(14, '0');
}
