import { WEBHOOKS_PER_JOB_MAX } from '../../contract/limits.ts';

interface Subscriber {
  readonly url: string;
  /** Counted from 1. */
  readonly number: number;
  /** The callers that asked for it. */
  readonly subscribedBy: readonly string[];
}

/**
 * The webhooks of a job: each URL once, in the order of their arrival. The api enforces the limit; it is enforced here again
 * because a signal may be sent by other programs, and each URL becomes a child workflow.
 */
export class Subscribers {
  readonly #callersByUrl = new Map<string, Set<string>>();
  #taken = 0;

  /** @param caller who asks for it; unknown for a signal that an operator sends */
  add(url: string | undefined, caller: string | undefined): void {
    if (url === undefined) return;
    const callers = this.#callersByUrl.get(url) ?? new Set();
    if (!this.#callersByUrl.has(url) && this.#callersByUrl.size >= WEBHOOKS_PER_JOB_MAX) return;
    if (caller !== undefined && callers.size < WEBHOOKS_PER_JOB_MAX) callers.add(caller);
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
