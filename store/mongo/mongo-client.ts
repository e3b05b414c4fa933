import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';
import { watchHeartbeats } from './heartbeat-watch.ts';

/** With the driver's default of 10 s, a dead connection would delay a request for 20 s. */
const HEARTBEAT_MS = 2_000;
/** How much longer than the driver's limits a heartbeat may take on a busy machine. */
const HEARTBEAT_SLACK_MS = 3_000;
const RECONNECT_MS = 500;

export type Mongo = ReturnType<typeof openMongo>;

/**
 * The embedded server scans the collection, at 0.1 ms per document, unless a text `_id` is the whole filter. So only
 * listings have other filters (indexes.ts). The heartbeat detects a connection that hangs silently, and fails its
 * operations after 2 s plus `timeoutMs` at most.
 */
export function openMongo(options: { uri: string; database: string; timeoutMs: number }) {
  const client = new MongoClient(options.uri, {
    appName: 'tapedeck',
    serverSelectionTimeoutMS: options.timeoutMs,
    connectTimeoutMS: options.timeoutMs,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    // For a single connection that hangs. The embedded server takes seconds for queries that scan.
    socketTimeoutMS: options.timeoutMs * 2.5,
    // Only writes that a majority has journaled survive an election.
    writeConcern: { w: 'majority', journal: true },
    ignoreUndefined: true,
  });
  const db = client.db(options.database);
  const stopWatching = watchHeartbeats(client, {
    limitMs: options.timeoutMs + HEARTBEAT_MS + HEARTBEAT_SLACK_MS,
    onStuck: () => void reconnect(),
  });
  let isClosed = false;
  let isReconnecting = false;
  const reconnect = async (): Promise<void> => {
    if (isReconnecting) return;
    isReconnecting = true;
    // Closing fails the operations that wait for the stuck monitor, as if the server were unreachable.
    await client.close();
    while (!isClosed) {
      try {
        await client.connect();
        break;
      } catch {
        await delay(RECONNECT_MS);
      }
    }
    isReconnecting = false;
    if (isClosed) await client.close();
  };
  return {
    db,
    ping: async (): Promise<void> => {
      // If the first operation of a client finds no server, all later ones fail until the client connects.
      await client.connect();
      await db.command({ ping: 1 });
    },
    close: async (): Promise<void> => {
      isClosed = true;
      stopWatching();
      await client.close();
    },
  };
}

/** AuthenticationFailed, Unauthorized. */
const FINAL_CODES: readonly unknown[] = [18, 13];

export function isFinalRefusal(error: unknown): boolean {
  return error instanceof MongoServerError && FINAL_CODES.includes(error.code);
}
