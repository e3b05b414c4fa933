import type { Collection, Db } from 'mongodb';
import { optional } from '../../runtime/optional.ts';
import { upsertOne } from '../mongo/upsert.ts';

interface EngineDocument {
  _id: 'speech';
  languages?: readonly string[];
  /** Sums over the transcribed windows. */
  audioSeconds?: number;
  workSeconds?: number;
}

export type SpeechLanguages = ReturnType<typeof createSpeechLanguages>;

export function createSpeechLanguages(db: Db) {
  const engines: Collection<EngineDocument> = db.collection('engines');
  return {
    /**
     * Stores what is known of an engine that has started; its speed is measured anew.
     *
     * @param languages undefined when the engine does not list them
     */
    async keep(languages: readonly string[] | undefined): Promise<void> {
      const sums = { audioSeconds: 0, workSeconds: 0 };
      const change = languages === undefined ? { $unset: { languages: '' as const } } : {};
      await upsertOne(engines, 'speech', { ...change, $set: { ...sums, ...optional('languages', languages) } });
    },
    /** Adds the time that a window of audio has taken. */
    async noteSpeed(window: { readonly audioSeconds: number; readonly seconds: number }): Promise<void> {
      const { audioSeconds, seconds: workSeconds } = window;
      await upsertOne(engines, 'speech', { $inc: { audioSeconds, workSeconds } });
    },
    /** The real-time factor: how many seconds a second of audio takes; undefined before the first window. */
    async speed(): Promise<number | undefined> {
      const { audioSeconds = 0, workSeconds = 0 } = (await engines.findOne({ _id: 'speech' })) ?? {};
      return audioSeconds > 0 ? workSeconds / audioSeconds : undefined;
    },
    known: async (): Promise<readonly string[] | undefined> => (await engines.findOne({ _id: 'speech' }))?.languages,
  };
}
