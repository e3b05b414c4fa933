import type { Collection, Db } from 'mongodb';
import { upsertOne } from '../mongo/upsert.ts';

interface EngineDocument {
  _id: 'speech';
  languages?: readonly string[];
}

export type SpeechLanguages = ReturnType<typeof createSpeechLanguages>;

export function createSpeechLanguages(db: Db) {
  const engines: Collection<EngineDocument> = db.collection('engines');
  return {
    /** @param languages undefined if the engine does not list its languages */
    async keep(languages: readonly string[] | undefined): Promise<void> {
      const change = languages === undefined ? { $unset: { languages: '' as const } } : { $set: { languages } };
      await upsertOne(engines, 'speech', change);
    },
    known: async (): Promise<readonly string[] | undefined> => (await engines.findOne({ _id: 'speech' }))?.languages,
  };
}
