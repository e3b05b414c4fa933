import type { MongoClient } from 'mongodb';

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
