import type { Tally } from '../../store/windows.ts';

/** One request. */
export interface Counted {
  /** What repetitions of it have in common, where it can be repeated as a poll. */
  readonly key?: string | undefined;
  /** Whether it only asks how a job goes. */
  readonly isPoll: boolean;
}

export interface Place {
  /** When the window began, in milliseconds since 1970. */
  readonly startMs: number;
  /** How many requests of the window count, up to this one. */
  readonly used: number;
  /** Whether it was made so often that it counts. */
  readonly isTooOften: boolean;
  /** All polls of the window. */
  readonly polls: number;
}

/**
 * What is known of a caller's window, as it grows request by request.
 *
 * A poll does not count until it is made more often than is free; then all its repetitions do, the earlier ones too. So
 * asking for one job in a burst has no more than the limit. It follows from the sums alone, which one change of one document
 * keeps: whatever process counts in between, the places are exact.
 */
export class CallerTally {
  readonly startMs: number;
  readonly #freePolls: number;
  readonly #polls = new Map<string, number>();
  readonly #others: Map<string, number>;
  #used: number;
  #pollCount = 0;

  constructor({ startMs, used, polls, others }: Tally, freePolls: number) {
    this.startMs = startMs;
    this.#freePolls = freePolls;
    this.#used = used;
    this.#others = new Map(Object.entries(others));
    for (const [key, count] of Object.entries(polls)) {
      this.#polls.set(key, count);
      this.#pollCount += count;
      this.#used += this.#countedPollsOf(key);
    }
  }

  /** @returns which place the request has */
  add(request: Counted): Place {
    const { key, isPoll } = request;
    const before = key === undefined ? 0 : this.#countedPollsOf(key);
    if (!isPoll) this.#used += 1;
    else this.#pollCount += 1;
    if (key !== undefined) {
      const counts = isPoll ? this.#polls : this.#others;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      this.#used += this.#countedPollsOf(key) - before;
    }
    return this.placeOf(request);
  }

  /** @returns the place of the newest of such requests */
  placeOf({ key, isPoll }: Counted): Place {
    const isTooOften = !isPoll || key === undefined || this.#isTooOften(key);
    return { startMs: this.startMs, used: this.#used, isTooOften, polls: this.#pollCount };
  }

  /** Of a burst some are sent before it is known that they are polls: they count at once, and as repetitions. */
  #isTooOften(key: string): boolean {
    return (this.#polls.get(key) ?? 0) + (this.#others.get(key) ?? 0) > this.#freePolls;
  }

  #countedPollsOf(key: string): number {
    return this.#isTooOften(key) ? (this.#polls.get(key) ?? 0) : 0;
  }
}

/** The sums of some requests. */
export function sumOf(startMs: number, requests: readonly Counted[]): Tally {
  const sums = { polls: {}, others: {} } as Record<'polls' | 'others', Record<string, number>>;
  for (const { key, isPoll } of requests) {
    const counts = sums[isPoll ? 'polls' : 'others'];
    if (key !== undefined) counts[key] = (counts[key] ?? 0) + 1;
  }
  return { startMs, used: requests.filter(({ isPoll }) => !isPoll).length, ...sums };
}

/** The sums with some more, or with some less. */
export function withAdded(sums: Tally, part: Tally, sign: 1 | -1 = 1): Tally {
  const added = (all: Tally['polls'], some: Tally['polls']): Tally['polls'] => ({
    ...all,
    ...Object.fromEntries(Object.entries(some).map(([key, count]) => [key, (all[key] ?? 0) + sign * count])),
  });
  return {
    startMs: sums.startMs,
    used: sums.used + sign * part.used,
    polls: added(sums.polls, part.polls),
    others: added(sums.others, part.others),
  };
}
