import { WEBHOOKS_PER_JOB_MAX } from '../request-limits.ts';

/** Delays before the 1st, 2nd and 3rd retry (specification, section 6). */
export const WEBHOOK_RETRY_DELAYS_SECONDS = [10, 30, 60] as const;
export const WEBHOOK_TIMEOUT_SECONDS = 10;
export const WEBHOOK_TEST_TIMEOUT_SECONDS = 5;

export const deliveryStates = ['pending', 'delivered', 'abandoned'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryAttempt {
  /** Counted from 1. */
  readonly number: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly statusCode?: number;
  readonly error?: string;
}

/** Stands for all REST callers without an API key in {@link Delivery.subscribedBy}. */
export const WITHOUT_KEY = 'anonymous';

export interface Delivery {
  readonly id: string;
  readonly recordId: string;
  readonly url: string;
  /** IDs of the API keys that subscribed, or {@link WITHOUT_KEY}; absent if they are unknown. */
  readonly subscribedBy?: readonly string[];
  readonly endpoint: string;
  readonly state: DeliveryState;
  readonly createdAt: string;
  /** The number of the first attempt of the newest round; absent before that attempt. */
  readonly firstAttempt?: number;
  readonly attempts: readonly DeliveryAttempt[];
}

/** The host of a receiver in lower case, without port and trailing dots, so that limits apply to the machine. */
export function receiverHostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/(?<!\.)\.+$/, '') : url;
}

const FAIRNESS_KEY_MAX_CHARS = 64;

/** Fairness by receiver, where the server supports it. The end of a long host identifies it better than its beginning. */
export function deliveryPriorityOf(url: string): { readonly fairnessKey: string } {
  return { fairnessKey: URL.canParse(url) ? new URL(url).host.slice(-FAIRNESS_KEY_MAX_CHARS) : '' };
}

/** The number of the first subscription that was added after the job had ended, so that the API starts its delivery. */
export const LATE_SUBSCRIBERS_FROM = WEBHOOKS_PER_JOB_MAX + 1;

/** The ID of the workflow of a delivery. @param subscription counted from 1 */
export function deliveryIdOf(recordId: string, subscription: number): string {
  return `webhook/${recordId}/${String(subscription)}`;
}
