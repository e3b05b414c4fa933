import type { Tally } from '../../store/windows.ts';

/** One request: a poll by its key, or any other. */
export interface Counted {
  readonly poll?: string | undefined;
}

export interface Place {
  /** When the window began, in milliseconds since 1970. */
  readonly startMs: number;
  /** How many requests of the window count, up to this one. */
  readonly used: number;
  /** Of a poll: how often it was made. */
  readonly repetition: number;
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
  #used = 0;
  #pollCount = 0;

  constructor({ startMs, used, polls }: Tally, freePolls: number) {
    this.startMs = startMs;
    this.#freePolls = freePolls;
    this.#used = used;
    for (const [key, count] of Object.entries(polls)) this.#set(key, count);
  }

  /** @returns which place the request has */
  add({ poll }: Counted): Place {
    if (poll === undefined) this.#used += 1;
    else this.#set(poll, (this.#polls.get(poll) ?? 0) + 1);
    return this.placeOf({ poll });
  }

  /** @returns the place of the newest of such requests */
  placeOf({ poll }: Counted): Place {
    const repetition = poll === undefined ? 0 : (this.#polls.get(poll) ?? 0);
    return { startMs: this.startMs, used: this.#used, repetition, polls: this.#pollCount };
  }

  #set(key: string, count: number): void {
    const before = this.#polls.get(key) ?? 0;
    this.#polls.set(key, count);
    this.#pollCount += count - before;
    this.#used += this.#countedOf(count) - this.#countedOf(before);
  }

  #countedOf(repetitions: number): number {
    return repetitions > this.#freePolls ? repetitions : 0;
  }
}

/** The sums of some requests. */
export function sumOf(startMs: number, requests: readonly Counted[]): Tally {
  const polls: Record<string, number> = {};
  for (const { poll } of requests) if (poll !== undefined) polls[poll] = (polls[poll] ?? 0) + 1;
  return { startMs, used: requests.filter(({ poll }) => poll === undefined).length, polls };
}

/** The sums without some of what they hold. */
export function without(sums: Tally, part: Tally): Tally {
  const polls = Object.entries(sums.polls).map(([key, count]) => [key, count - (part.polls[key] ?? 0)] as const);
  return { startMs: sums.startMs, used: sums.used - part.used, polls: Object.fromEntries(polls) };
}

/** The sums with some more. */
export function withAdded(sums: Tally, part: Tally): Tally {
  const polls = { ...sums.polls };
  for (const [key, count] of Object.entries(part.polls)) polls[key] = (polls[key] ?? 0) + count;
  return { startMs: sums.startMs, used: sums.used + part.used, polls };
}
