import type { Collection, Db } from 'mongodb';
import { upsertOne } from '../mongo/upsert.ts';

interface YtdlpDocument {
  _id: 'yt-dlp';
  version: string;
}

/** Which yt-dlp new jobs use, for the api: only the workers have it. That of the worker that spoke last. */
export function createYtdlpInUse(db: Db) {
  const engines: Collection<YtdlpDocument> = db.collection('engines');
  return {
    async keep(version: string): Promise<void> {
      await upsertOne(engines, 'yt-dlp', { $set: { version } });
    },
    /** @returns undefined when nobody knows */
    known: async (): Promise<string | undefined> => (await engines.findOne({ _id: 'yt-dlp' }))?.version,
  };
}
