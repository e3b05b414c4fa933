import type { Db } from 'mongodb';
import { isDuplicate } from '../mongo/upsert.ts';

/** An entry never changes: a repeated call finds its own entry, and the database refuses a second one at the same position. */
export function createJobLists(db: Db) {
  // `_id`: the list's ID and a position, such as `speaker_labels/01JD…/1`.
  const entries = db.collection<{ _id: string; recordId: string }>('jobLists');
  const read = async (listId: string): Promise<string[]> => {
    const ids: string[] = [];
    for (;;) {
      const entry = await entries.findOne({ _id: `${listId}/${String(ids.length + 1)}` });
      if (entry === null) return ids;
      ids.push(entry.recordId);
    }
  };
  return {
    /** May be repeated: a list contains a record once. */
    async add(listId: string, recordId: string): Promise<void> {
      for (;;) {
        const ids = await read(listId);
        if (ids.includes(recordId)) return;
        try {
          await entries.insertOne({ _id: `${listId}/${String(ids.length + 1)}`, recordId });
          return;
        } catch (error) {
          // Another process inserted at this position, perhaps the same record.
          if (!isDuplicate(error)) throw error;
        }
      }
    },
    /** @returns the record IDs, newest job first: they begin with the time at which the job was accepted */
    newestFirst: async (listId: string): Promise<readonly string[]> => (await read(listId)).sort().reverse(),
  };
}
