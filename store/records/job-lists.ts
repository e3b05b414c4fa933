import type { Db } from 'mongodb';

interface Entry {
  /** List and place in it, such as `speaker_labels/01JD…/1`. */
  _id: string;
  recordId: string;
}

/**
 * Lists of records' ids, such as of all jobs about one audio. They are short. Each entry is a document that is inserted and never changed. So nothing has to change in one piece: whoever is repeated
 * after a crash finds its own entry, and of two who want the same place one is refused, by MongoDB and by the embedded
 * server alike.
 */
export function createJobLists(db: Db) {
  const entries = db.collection<Entry>('jobLists');
  const at = async (listId: string, place: number): Promise<string | undefined> =>
    (await entries.findOne({ _id: `${listId}/${String(place)}` }))?.recordId;
  return {
    /** May be repeated: a record is in a list once. */
    async add(listId: string, recordId: string): Promise<void> {
      let place = 1;
      for (;;) {
        const taken = await at(listId, place);
        if (taken === recordId) return;
        if (taken !== undefined) {
          place += 1;
          continue;
        }
        try {
          await entries.insertOne({ _id: `${listId}/${String(place)}`, recordId });
          return;
        } catch (error) {
          // Somebody took the place in between: perhaps for the same record.
          if ((error as { code?: unknown }).code !== 11_000) throw error;
        }
      }
    },
    /** @returns the records' ids, the newest job first */
    async newestFirst(listId: string): Promise<readonly string[]> {
      const ids: string[] = [];
      for (let place = 1; ; place += 1) {
        const id = await at(listId, place);
        // Ids begin with the time at which the job was accepted.
        if (id === undefined) return ids.sort().reverse();
        ids.push(id);
      }
    },
  };
}
