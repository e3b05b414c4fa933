import { createHash } from 'node:crypto';
import type { H3Event } from 'h3';
import type { Logger } from 'pino';
import { POLL_INTERVAL_SECONDS } from '../../contract/limits.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import type { AwaitedStore } from '../../store/awaited.ts';
import type { RecordStore } from '../../store/records.ts';
import { readText } from '../request.ts';
import { isRefused } from './gate.ts';
import { slotOf, timeOf } from './slots.ts';
import type { Counted } from './tally.ts';

export interface Polls {
  /** Whether a request is a poll. */
  judge(event: H3Event, caller: string): Promise<Counted>;
  /** Notes that this request, repeated, waits for these downloads. */
  note(event: H3Event, caller: string, recordIds: readonly string[]): Promise<void>;
}

export interface PollsOptions {
  readonly records: Pick<RecordStore, 'get'>;
  readonly awaited: AwaitedStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

/** A GET that is about one download. */
const GET_ONE = /^\/(?:api\/)?\w+\/([0-7][0-9A-HJKMNP-TV-Z]{25})(?=[/.]|$)/;
/** One that may be about the job of a download, such as the labels of an audio that was fetched long ago. */
const GET_OF_ANOTHER = /^\/api\/transcriptspeakerid\//;
/** The requests for jobs: repeated, they ask how the job goes. */
const POST_JOB = /^\/api\/(?!webhook\/)/;
/** Longer than any request for a job need be; longer ones are counted. */
const BODY_MAX_BYTES = 8_192;
/** The poll that brings the result comes up to an interval after the end of the job. */
const ENDED_LATELY_MS = 4 * POLL_INTERVAL_SECONDS * 1000;
/** What is awaited is noted anew in each of these times, and found in the one before. */
const NOTED_MS = 3_600_000;
/** Ids that lead nowhere, per caller and minute. */
const MAX_GUESSES = 20;
const GUESSES_MS = 60_000;

/**
 * Finds polls: a GET about one download, and a request for a job that was answered "not yet", sent again. The specification
 * knows no other way to ask for a list or a post than to send the request again.
 */
export function createPolls({ records, awaited, now, log }: PollsOptions): Polls {
  const guesses = new Map<string, number>();
  let guessesUntilMs = 0;
  let cleanedMs = 0;
  /** Who has made too many guesses is not looked up any more for a while: it would cost us more than the limit is to save. */
  const isGuessing = (caller: string): boolean => {
    if (now() >= guessesUntilMs) {
      guesses.clear();
      guessesUntilMs = now() + GUESSES_MS;
    }
    return (guesses.get(caller) ?? 0) >= MAX_GUESSES;
  };
  const isUnderWay = (record: DownloadRecord): boolean =>
    record.status === 'pending' || now() < Date.parse(record.finishedAt) + ENDED_LATELY_MS;
  const idOf = (slotMs: number, caller: string, key: string): string => `${timeOf(slotMs)}/${caller} ${key}`;
  const recordOf = sharing((id) => records.get(id));
  const noted = sharing((id) => awaited.get(id));
  const notedOf = async (caller: string, key: string): Promise<readonly string[]> => {
    const slotMs = slotOf(now(), NOTED_MS);
    return (await noted(idOf(slotMs, caller, key))) ?? (await noted(idOf(slotMs - NOTED_MS, caller, key))) ?? [];
  };
  /** A repetition after a failure starts a new job, and counts like any start. */
  const areAwaited = async (recordIds: readonly string[]): Promise<boolean> => {
    const found = (await Promise.all(recordIds.map(recordOf))).filter((one) => one !== undefined);
    return found.every(({ status }) => status !== 'failed') && found.some(isUnderWay);
  };

  return {
    async judge(event, caller) {
      const { pathname } = event.url;
      const isGet = event.req.method === 'GET';
      const [, recordId] = GET_ONE.exec(pathname) ?? [];
      if (isGet && recordId !== undefined && !isGuessing(caller)) {
        const record = await recordOf(recordId);
        // Ids that lead nowhere are counted like anything else.
        if (record === undefined) guesses.set(caller, (guesses.get(caller) ?? 0) + 1);
        else if (isUnderWay(record)) return { key: recordId, isPoll: true };
      }
      if (!isJobRequest(event) && !(isGet && GET_OF_ANOTHER.test(pathname))) return { isPoll: false };
      const key = await contentKeyOf(event);
      return { key, isPoll: await areAwaited(await notedOf(caller, key)) };
    },
    async note(event, caller, recordIds) {
      if (recordIds.length === 0 || !(isJobRequest(event) || GET_OF_ANOTHER.test(event.url.pathname))) return;
      const slotMs = slotOf(now(), NOTED_MS);
      await awaited.note(idOf(slotMs, caller, await contentKeyOf(event)), recordIds);
      if (slotMs <= cleanedMs) return;
      cleanedMs = slotMs;
      awaited.removeBefore(timeOf(slotMs - NOTED_MS)).catch((error: unknown) => {
        log.warn({ err: error }, 'old requests that wait were not removed');
      });
    },
  };
}

/** Lookups of the same at the same time become one: a flood is about few things. */
function sharing<Found>(look: (id: string) => Promise<Found>): (id: string) => Promise<Found> {
  const underWay = new Map<string, Promise<Found>>();
  return (id) => {
    const known = underWay.get(id);
    if (known !== undefined) return known;
    const found = look(id).finally(() => underWay.delete(id));
    underWay.set(id, found);
    return found;
  };
}

function isJobRequest(event: H3Event): boolean {
  const length = Number(event.req.headers.get('content-length') ?? Number.NaN);
  return (
    event.req.method === 'POST' && POST_JOB.test(event.url.pathname) && length <= BODY_MAX_BYTES && !isRefused(event)
  );
}

/** Of the path and the body. Two bodies that say the same in other words are two polls. */
async function contentKeyOf(event: H3Event): Promise<string> {
  const body = event.req.method === 'GET' ? '' : await readText(event);
  return createHash('sha256').update(`${event.url.pathname}\n${body}`).digest('base64url');
}
