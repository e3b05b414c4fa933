import type { MongoClient } from 'mongodb';

/** A second look: after a pause of the whole process, timers fire before what has arrived meanwhile is read. */
const SECOND_LOOK_MS = 1_000;

/**
 * Finds out when the driver waits for ever for a heartbeat's answer.
 *
 * It does so when it writes at the moment at which the server ends the connection: the write waits for a `drain` that a
 * destroyed socket never emits, and no timeout of that socket fires (mongodb 7.9.0, `Connection.writeCommand`). From then
 * on the client never looks at the server again, and finds none until the process ends.
 *
 * @param options.limitMs within which the driver itself would tell of a success or a failure
 * @param options.onStuck called for each heartbeat that has no outcome
 * @returns ends the watch
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
    expect(address, limitMs, () => expect(address, SECOND_LOOK_MS, onStuck)),
  );
  client.on('serverHeartbeatSucceeded', ({ connectionId: address }) => forget(address));
  client.on('serverHeartbeatFailed', ({ connectionId: address }) => forget(address));
  client.on('serverClosed', ({ address }) => forget(address));
  return () => [...timers.keys()].forEach(forget);
}
