import { setTimeout as delay } from 'node:timers/promises';
import { follow } from './caller.ts';
import type { Client } from './client.ts';
import { isSettled, type CallEntry, type CallersLedger } from './ledger.ts';

export interface CallersDeps {
  readonly client: Client;
  readonly ledger: CallersLedger;
  /** Milliseconds since the begin of the run. */
  readonly nowMs: () => number;
  /** Sends all of them home. */
  readonly goHome: AbortSignal;
}

/** Sends each caller at its time. Resolves when all have got what they came for, or were sent home. */
export async function sendCallers({ client, ledger, nowMs, goHome }: CallersDeps): Promise<void> {
  const done = new Map<string, Promise<CallEntry>>();
  const settled = (callId: string): Promise<CallEntry> => {
    const found = done.get(callId);
    if (found === undefined) throw new Error(`there is no call ${callId}`);
    return found;
  };
  for (const entry of ledger.entries) {
    const run = async (): Promise<CallEntry> => {
      await delay(Math.max(0, entry.call.atMs - nowMs()), undefined, { signal: goHome });
      await follow({ client, settled, goHome }, entry);
      return entry;
    };
    // Not before all are in the map: callers wait for others.
    done.set(entry.call.id, Promise.resolve().then(run));
  }
  const ends = await Promise.allSettled(done.values());
  for (const end of ends) if (end.status === 'rejected' && !goHome.aborted) throw end.reason;
  if (!goHome.aborted && !ledger.entries.every(isSettled)) throw new Error('a caller left too early');
}
