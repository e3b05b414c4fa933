import type { H3Event } from 'h3';
import { POLL_INTERVAL_SECONDS } from '../../contract/limits.ts';
import type { RecordStore } from '../../store/records.ts';
import type { RequestCounter } from './request-counter.ts';

/** Ids that lead nowhere, per caller and minute. */
const MAX_GUESSES = 20;
const GUESSES_MS = 60_000;

export interface PolitePollsOptions {
  readonly counter: RequestCounter;
  readonly records: Pick<RecordStore, 'get'>;
  readonly now: () => number;
}

/** A GET that is about one download. */
const POLL = /^\/(?:api\/)?\w+\/([0-7][0-9A-HJKMNP-TV-Z]{25})(?=[/.]|$)/;
/** Two, since a client that keeps to its interval may meet the beginning and the end of one of our windows. */
const POLLS_A_WINDOW = 2;
/** The poll that brings the result comes up to an interval after the end of the job. */
const ENDED_LATELY_MS = 4 * POLL_INTERVAL_SECONDS * 1000;

/**
 * Whether a request only asks how a job goes, no more often than answers tell by `Retry-After`. Such requests are not counted:
 * who has a hundred jobs running and asks for each as told would run into the limit, and start nothing any more.
 */
export function createPolitePolls({ counter, records, now }: PolitePollsOptions) {
  const guesses = new Map<string, number>();
  let guessesUntilMs = 0;
  /** Who has made too many guesses is not looked up any more for a while: it would cost us more than the limit is to save. */
  const isGuessing = (caller: string): boolean => {
    if (now() >= guessesUntilMs) {
      guesses.clear();
      guessesUntilMs = now() + GUESSES_MS;
    }
    return (guesses.get(caller) ?? 0) >= MAX_GUESSES;
  };
  return async (event: H3Event, caller: string): Promise<boolean> => {
    if (event.req.method !== 'GET') return false;
    const [, recordId] = POLL.exec(event.url.pathname) ?? [];
    if (recordId === undefined || isGuessing(caller)) return false;
    const { used } = await counter.count(`${caller} ${recordId}`, POLLS_A_WINDOW);
    if (used > POLLS_A_WINDOW) return false;
    // Ids that lead nowhere are counted like anything else.
    const record = await records.get(recordId);
    if (record === undefined) {
      guesses.set(caller, (guesses.get(caller) ?? 0) + 1);
      return false;
    }
    return record.status === 'pending' || now() < Date.parse(record.finishedAt) + ENDED_LATELY_MS;
  };
}
export type PolitePolls = ReturnType<typeof createPolitePolls>;
