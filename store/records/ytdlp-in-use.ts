import type { Db } from 'mongodb';
import { upsertOne } from '../mongo/upsert.ts';

/** The version of yt-dlp that new jobs use, which workers store for the api. */
export function createYtdlpInUse(db: Db) {
  const engines = db.collection<{ _id: string; version: string }>('engines');
  return {
    async keep(version: string): Promise<void> {
      await upsertOne(engines, 'yt-dlp', { $set: { version } });
    },
    known: async (): Promise<string | undefined> => (await engines.findOne({ _id: 'yt-dlp' }))?.version,
  };
}
