import { MongoError, MongoServerError, type Db } from 'mongodb';
import { openMongo } from './mongo-client.ts';
import { refuseUnfinishedRestore } from '../backup/unfinished-restore.ts';

/** Opens the database for a command. @throws Error with one sentence when it does not respond, or a restore has not finished */
export async function withDatabase<T>(
  { MONGODB_URI: uri, MONGODB_DATABASE: database }: { readonly MONGODB_URI: string; readonly MONGODB_DATABASE: string },
  timeoutMs: number,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const mongo = openMongo({ uri, database, timeoutMs });
  try {
    await refuseUnfinishedRestore(mongo.db);
    return await work(mongo.db);
  } catch (cause) {
    if (!(cause instanceof MongoError)) throw cause;
    // The message omits the address, which may contain a password.
    const what = cause instanceof MongoServerError ? 'the database refused' : 'the database did not answer';
    throw new Error(`MONGODB_URI: ${what}: ${cause.message}`, { cause });
  } finally {
    await mongo.close();
  }
}
