import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoServerError, MongoError, type Db } from 'mongodb';
import { refuseUnfinishedRestore } from '../backup/unfinished-restore.ts';

/** After a pause of the process, timers fire before it reads the responses that have arrived, so a second timer follows. */
const GRACE_MS = 1_000;

/**
 * If the server ends the connection while the driver writes, the write waits for a `drain` event that a destroyed socket
 * never emits, and no timeout fires (mongodb 7.9.0, `Connection.writeCommand`). The client then finds no server for ever.
 */
export function watchHeartbeats(
  client: MongoClient,
  { limitMs, onStuck }: { readonly limitMs: number; readonly onStuck: () => void },
): () => void {
  const timers = new Map<string, NodeJS.Timeout>();
  const forget = (address: string): void => {
    clearTimeout(timers.get(address));
    timers.delete(address);
  };
  const expect = (address: string, afterMs: number, onLate: () => void): void => {
    forget(address);
    timers.set(address, setTimeout(onLate, afterMs).unref());
  };
  client.on('serverHeartbeatStarted', ({ connectionId: address }) =>
    expect(address, limitMs, () => expect(address, GRACE_MS, onStuck)),
  );
  client.on('serverHeartbeatSucceeded', ({ connectionId: address }) => forget(address));
  client.on('serverHeartbeatFailed', ({ connectionId: address }) => forget(address));
  client.on('serverClosed', ({ address }) => forget(address));
  return () => [...timers.keys()].forEach(forget);
}

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
