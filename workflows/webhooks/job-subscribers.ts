import { allHandlersFinished, condition } from '@temporalio/workflow';
import { deliveryIdOf } from '../../contract/http/webhook-delivery.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { WEBHOOKS_PER_JOB_MAX } from '../../contract/request-limits.ts';
import { startDelivery } from './start-delivery.ts';

interface Subscriber {
  readonly url: string;
  /** Counted from 1. */
  readonly number: number;
  /** The callers that subscribed the URL. */
  readonly subscribedBy: string[];
}

/**
 * The webhooks of a job: each URL once, in the order of arrival. The limit of the api applies here too, because other programs
 * can send signals, and each URL becomes a child workflow.
 */
export class Subscribers {
  readonly #callersByUrl = new Map<string, Set<string>>();
  #taken = 0;

  /** @param caller undefined in a signal that an operator sends */
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

/**
 * Starts a delivery for each subscriber, also for those that arrive meanwhile.
 *
 * @returns the number of deliveries
 */
export async function notifySubscribers(job: JobInput, subscribers: Subscribers): Promise<number> {
  for (let webhooks = 0; ;) {
    const next = subscribers.take();
    if (next !== undefined) {
      const { url, number, subscribedBy } = next;
      const delivery = { deliveryId: deliveryIdOf(job.recordId, number), recordId: job.recordId, url, subscribedBy };
      await startDelivery(delivery, { about: `download ${job.recordId}`, job });
      webhooks += 1;
    } else if (allHandlersFinished()) {
      return webhooks;
    } else {
      await condition(allHandlersFinished);
    }
  }
}
