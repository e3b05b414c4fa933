import type { Collection, Db } from 'mongodb';
import { upsertOne } from '../mongo/upsert.ts';

interface EngineDocument {
  _id: 'speech';
  languages?: readonly string[];
}

/** What the workers know of languages, for the api: only they have the speech engine. */
export type SpeechLanguages = ReturnType<typeof createSpeechLanguages>;

export function createSpeechLanguages(db: Db) {
  const engines: Collection<EngineDocument> = db.collection('engines');
  return {
    /** Notes what an engine knows. @param languages absent where only asking it tells */
    async keep(languages: readonly string[] | undefined): Promise<void> {
      const change = languages === undefined ? { $unset: { languages: '' as const } } : { $set: { languages } };
      await upsertOne(engines, 'speech', change);
    },
    /** @returns undefined when nobody knows */
    known: async (): Promise<readonly string[] | undefined> => (await engines.findOne({ _id: 'speech' }))?.languages,
  };
}
