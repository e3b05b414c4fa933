import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';
import { watchHeartbeats } from './heartbeat-watch.ts';

/** The driver's 10 s would hold a request for 20 s on a line that is dead. */
const HEARTBEAT_MS = 2_000;
/** What a heartbeat may take beyond the driver's own limits, on a machine that is busy. */
const HEARTBEAT_SLACK_MS = 3_000;
const RECONNECT_MS = 500;

export type Mongo = ReturnType<typeof openMongo>;

/**
 * Opens the database. Nothing but `_id` is queried on the way of a request, so no index is needed for that (those of listings: indexes.ts). The
 * embedded server finds a document without a scan only where `_id`, a text, is the whole filter: one more condition and
 * it parses the whole collection, 0.1 ms for each document.
 *
 * A connection that hangs without a word (a host that is gone, a firewall that forgot it) is found out by the driver's
 * heartbeat, which then breaks off what is under way: after 2 s and `timeoutMs` at most. An operation on a line that is
 * dead altogether fails `timeoutMs` later.
 *
 * @param options.timeoutMs how long an operation waits for a server before it fails
 */
export function openMongo(options: { uri: string; database: string; timeoutMs: number }) {
  const client = new MongoClient(options.uri, {
    appName: 'tapedeck',
    serverSelectionTimeoutMS: options.timeoutMs,
    connectTimeoutMS: options.timeoutMs,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    // For a single connection that hangs. The embedded server takes seconds for what is no look-up by id.
    socketTimeoutMS: options.timeoutMs * 2.5,
    // Only what a majority has journaled survives an election.
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
    // What waits for the monitor that hangs fails now, as it does when the server is away.
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
    /** Resolves when the server answers; rejects within the server selection timeout. */
    ping: async (): Promise<void> => {
      // Where the first operation of a client finds no server, all later ones fail as well until somebody connects it.
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

/** Whether the server has answered, and will not answer otherwise later. */
export function isFinalRefusal(error: unknown): boolean {
  return error instanceof MongoServerError && FINAL_CODES.includes(error.code);
}
