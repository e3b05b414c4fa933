import type { Collection, Db } from 'mongodb';
import { upsertOne } from '../mongo/upsert.ts';

interface YtdlpDocument {
  _id: 'yt-dlp';
  version: string;
}

/** The version of yt-dlp that new jobs use, which workers store for the api. */
export function createYtdlpInUse(db: Db) {
  const engines: Collection<YtdlpDocument> = db.collection('engines');
  return {
    async keep(version: string): Promise<void> {
      await upsertOne(engines, 'yt-dlp', { $set: { version } });
    },
    known: async (): Promise<string | undefined> => (await engines.findOne({ _id: 'yt-dlp' }))?.version,
  };
}
