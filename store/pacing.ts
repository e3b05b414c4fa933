import type { Collection, Db } from 'mongodb';
import type { PacingState, PacingStore } from '../runtime/shares.ts';

interface PacingDocument {
  _id: string;
  version: number;
  /** As JSON: it is read and written as a whole, and hosts with their dots are names of fields in it. */
  state: string;
}

export function createPacingStore(db: Db): PacingStore {
  const documents: Collection<PacingDocument> = db.collection('pacing');
  return {
    async ids() {
      return (await documents.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    },
    async read(id) {
      const document = await documents.findOne({ _id: id });
      return document === null
        ? undefined
        : { version: document.version, state: JSON.parse(document.state) as PacingState };
    },
    async replace(id, version, state) {
      const next = { version: version + 1, state: JSON.stringify(state) };
      if (version > 0) return (await documents.updateOne({ _id: id, version }, { $set: next })).matchedCount === 1;
      try {
        await documents.insertOne({ _id: id, ...next });
        return true;
      } catch (error) {
        if ((error as { code?: unknown }).code !== 11_000) throw error;
        return false;
      }
    },
    async remove(id, version) {
      return (await documents.deleteOne({ _id: id, version })).deletedCount === 1;
    },
  };
}
