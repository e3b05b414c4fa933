import { MongoClient, type Db } from 'mongodb';

export interface Mongo {
  readonly db: Db;
  /** Resolves when the server answers; rejects within the server selection timeout. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the database. Nothing but `_id` is queried on the way of a request, so there are no indexes to create: the
 * embedded server scans for everything else.
 *
 * @param options.timeoutMs how long an operation waits for a server before it fails
 */
export function openMongo(options: { uri: string; database: string; timeoutMs: number }): Mongo {
  const client = new MongoClient(options.uri, {
    appName: 'tapedeck',
    serverSelectionTimeoutMS: options.timeoutMs,
    connectTimeoutMS: options.timeoutMs,
    socketTimeoutMS: options.timeoutMs * 4,
    // Only what a majority has journaled survives an election.
    writeConcern: { w: 'majority', journal: true },
    ignoreUndefined: true,
  });
  const db = client.db(options.database);
  return {
    db,
    ping: async () => {
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
}
