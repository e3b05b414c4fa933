import { createHostileCaller, type HostileCaller, type JobRequest } from './caller.ts';
import type { HostileSites, SitePage } from './sites.ts';

/** The service reads 16 KiB of the head of a request. */
const LONG_ID_CHARS = 15_500;
const REQUEST_BLANKS = 15_000;
const LANES = 8;
const IN_PLACE_TIMEOUT_MS = 120_000;
const LOOK_MS = 100;
/** The time until an attack has its full effect. */
const SETTLE_MS = 2_000;

export const HOSTILE_KINDS = [
  'slow pages',
  'slow files',
  'many streams',
  'long ids',
  'huge pictures',
  'blanks in headers',
] as const;
export type HostileKind = (typeof HOSTILE_KINDS)[number];

export interface HostileRates {
  /** More than the slots of a worker block other callers, unless queues are fair. */
  readonly jobsAtOnce: number;
  readonly streams: number;
  readonly followedJobs: number;
  readonly requestsPerSecond: number;
}

export interface HostileTarget {
  readonly restUrl: string;
  readonly authorization: string;
  readonly sites: HostileSites;
  readonly rates: HostileRates;
  readonly lastingJob: () => Promise<JobRequest>;
}

type Attack = (
  caller: HostileCaller,
  target: HostileTarget,
) => { readonly started: Promise<void>; over: Promise<void> };

let numbers = 0;
/** A job about a new page on a site of its own. */
export async function pageJob(sites: HostileSites, page: SitePage): Promise<JobRequest> {
  const url = `${await sites.open()}/${page}?n=${String((numbers += 1))}`;
  return { path: '/api/downloads/media', body: { url, format: page === 'pictures' ? 'video' : 'audio' } };
}

const holding =
  (page: SitePage): Attack =>
  (caller, { sites, rates }) => {
    const before = sites.requestsOf(page);
    return {
      over: caller.holdJobs(rates.jobsAtOnce, () => pageJob(sites, page)),
      started: untilSo(caller, () => sites.requestsOf(page) > before, page),
    };
  };

/** Sends requests at the rate, each with a number of its own. */
const sending =
  (path: (number: number) => string, headers: Readonly<Record<string, string>> = {}): Attack =>
  (caller, { rates }) => {
    let answered = 0;
    const lane = async (): Promise<void> => {
      while (!caller.hasLeft()) {
        await caller.request('GET', path((numbers += 1)), { headers });
        answered += 1;
        await caller.pause((LANES * 1_000) / rates.requestsPerSecond);
      }
    };
    const over = Promise.all(Array.from({ length: LANES }, lane)).then(() => undefined);
    return { over, started: untilSo(caller, () => answered >= LANES, 'requests') };
  };

const streaming: Attack = (caller, { rates, lastingJob }) => {
  let answered = 0;
  const run = async (): Promise<void> => {
    const ids: string[] = [];
    let begun = 0;
    const lane = async (): Promise<void> => {
      while (begun < rates.followedJobs && !caller.hasLeft()) {
        begun += 1;
        const id = await caller.start(await lastingJob());
        if (id !== undefined) ids.push(id);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const pathOf = (index: number): string => {
      const id = ids[index % Math.max(1, ids.length)];
      return id === undefined ? '/api/downloads/events' : `/api/downloads/${id}/events`;
    };
    const streams = Array.from({ length: rates.streams }, (_, index) => {
      let isAnswered = false;
      return caller.holdStream(pathOf(index), () => {
        if (!isAnswered) answered += 1;
        isAnswered = true;
      });
    });
    await Promise.all(streams);
  };
  return { over: run(), started: untilSo(caller, () => answered >= rates.streams, 'streams') };
};

/** Starts the second attack when the first has its effect. A busy api could delay the first beyond its timeout. */
const inOrder =
  (first: Attack, second: Attack): Attack =>
  (caller, target) => {
    const one = first(caller, target);
    const other = one.started.then(() => (caller.hasLeft() ? undefined : second(caller, target)));
    // Only `started` reports an attack that did not begin in time.
    const ends = [one.over, other.then((running) => running?.over).catch(() => undefined)];
    return {
      over: Promise.all(ends).then(() => undefined),
      started: other.then((running) => running?.started),
    };
  };

const ATTACKS: Readonly<Record<HostileKind, Attack>> = {
  'slow pages': holding('slow-page'),
  'slow files': holding('slow-file'),
  'many streams': streaming,
  'long ids': sending((number) => `/downloads/${String(number).padStart(LONG_ID_CHARS, 'x')}`),
  'huge pictures': holding('pictures'),
  'blanks in headers': inOrder(
    holding('blanks'),
    sending(() => '/live', { forwarded: `for=${' '.repeat(REQUEST_BLANKS)}x` }),
  ),
};

export function attack(kind: HostileKind, target: HostileTarget) {
  const caller = createHostileCaller(target);
  const { over, started } = ATTACKS[kind](caller, target);
  const begun = Promise.race([started, over]);
  // A failure must not end the process before these promises are awaited.
  for (const one of [over, begun]) one.catch(() => undefined);
  const stop = async (): Promise<void> => {
    caller.leave();
    await over;
  };
  return {
    answers: caller.answers,
    /** Resolves when the attack has its effect. */
    started: begun,
    /** Ends the attack; its jobs go on. */
    stop,
    async stopWithJobs(): Promise<void> {
      await stop();
      await caller.cancelJobs();
    },
  };
}

/** Waits for a condition, or until the caller leaves. @throws after the timeout, since an attack that never began proves nothing */
async function untilSo(caller: HostileCaller, isSo: () => boolean, what: string): Promise<void> {
  const lastMs = performance.now() + IN_PLACE_TIMEOUT_MS;
  while (!isSo() && !caller.hasLeft()) {
    if (performance.now() > lastMs) throw new Error(`an attack by ${what} did not begin in time`);
    await caller.pause(LOOK_MS);
  }
  await caller.pause(SETTLE_MS);
}
