import type { Collection, Db } from 'mongodb';
import { upsertOne } from './upsert.ts';

/** What the workers know of languages, for the api: only they have the speech engine. */
export interface SpeechLanguages {
  /** Notes what an engine knows. @param languages absent where only asking it tells */
  keep(languages: readonly string[] | undefined): Promise<void>;
  /** @returns undefined when nobody knows */
  known(): Promise<readonly string[] | undefined>;
}

interface EngineDocument {
  _id: 'speech';
  languages?: readonly string[];
}

export function createSpeechLanguages(db: Db): SpeechLanguages {
  const engines: Collection<EngineDocument> = db.collection('engines');
  return {
    async keep(languages) {
      const change = languages === undefined ? { $unset: { languages: '' as const } } : { $set: { languages } };
      await upsertOne(engines, 'speech', change);
    },
    known: async () => (await engines.findOne({ _id: 'speech' }))?.languages,
  };
}
