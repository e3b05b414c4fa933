import { JOB_SUBSCRIBERS_MAX } from '../contract/webhooks.ts';

/** The api takes fewer. What comes by other ways is left out: each URL is a child workflow, each caller travels with it. */
const MAX_URLS = JOB_SUBSCRIBERS_MAX;
const MAX_CALLERS = 50;

interface Subscriber {
  readonly url: string;
  /** Counted from 1. */
  readonly number: number;
  /** The callers that asked for it. */
  readonly subscribedBy: readonly string[];
}

/** The webhooks of a job: each URL once, in the order in which they came. Plain state, so that it can be tested as such. */
export class Subscribers {
  readonly #callersByUrl = new Map<string, Set<string>>();
  #taken = 0;

  /** @param caller who asks for it; unknown for a signal that an operator sends */
  add(url: string | undefined, caller: string | undefined): void {
    if (url === undefined) return;
    const callers = this.#callersByUrl.get(url) ?? new Set();
    if (!this.#callersByUrl.has(url) && this.#callersByUrl.size >= MAX_URLS) return;
    if (caller !== undefined && callers.size < MAX_CALLERS) callers.add(caller);
    this.#callersByUrl.set(url, callers);
  }

  /** @returns the next subscriber that has not been taken */
  take(): Subscriber | undefined {
    const [url, callers] = [...this.#callersByUrl][this.#taken] ?? [];
    if (url === undefined || callers === undefined) return undefined;
    this.#taken += 1;
    return { url, number: this.#taken, subscribedBy: [...callers] };
  }
}
