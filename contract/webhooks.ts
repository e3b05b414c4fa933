/** Delays before the 1st, 2nd and 3rd retry (specification, section 6). */
export const WEBHOOK_RETRY_DELAYS_SECONDS = [10, 30, 60] as const;
export const WEBHOOK_TIMEOUT_SECONDS = 10;
/** How long a webhook test waits for an answer, and how long each test without one takes. */
export const WEBHOOK_TEST_TIMEOUT_SECONDS = 5;
export const WEBHOOK_USER_AGENT = 'Service-Webhook/1.0';

/** The five headers of every delivery. */
export function webhookHeaders(delivery: {
  readonly endpoint: string;
  readonly originalStatus: number;
  readonly downloadId: string;
}): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': WEBHOOK_USER_AGENT,
    'X-Webhook-Endpoint': delivery.endpoint,
    'X-Webhook-Original-Status': String(delivery.originalStatus),
    'X-Webhook-Download-Id': delivery.downloadId,
  };
}

export const deliveryStates = ['pending', 'delivered', 'abandoned'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One request to the receiver: its status code, or what kept it from answering. */
export interface DeliveryAttempt {
  /** Counted from 1. */
  readonly number: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly statusCode?: number;
  readonly error?: string;
}

/** Stands in {@link Delivery.subscribedBy} for all callers of REST who sent no API key. */
export const WITHOUT_KEY = 'anonymous';

/** The delivery of one result to one URL, with every attempt. */
export interface Delivery {
  readonly id: string;
  readonly recordId: string;
  readonly url: string;
  /** Ids of the API keys that asked for it, {@link WITHOUT_KEY} among them; absent for a webhook that an operator added. */
  readonly subscribedBy?: readonly string[];
  readonly endpoint: string;
  readonly state: DeliveryState;
  readonly createdAt: string;
  /** Number of the first attempt of the newest round; absent before the first attempt. */
  readonly firstAttempt?: number;
  /** In the order of their numbers. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** A receiver's host in lower case, without port and without the dot that may end it: all of that is one machine. */
export function receiverHostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.+$/, '') : url;
}

const FAIRNESS_KEY_MAX_CHARS = 64;

/**
 * By what Temporal shares out the tasks of deliveries, where its fairness is on (others ignore it): the receiver's host and
 * port, or their end, which tells receivers apart better than the beginning does.
 */
export function deliveryPriorityOf(url: string): { readonly fairnessKey: string } {
  return { fairnessKey: URL.canParse(url) ? new URL(url).host.slice(-FAIRNESS_KEY_MAX_CHARS) : '' };
}

/** Most URLs that a job itself tells its end to; the api takes fewer. */
export const JOB_SUBSCRIBERS_MAX = 50;
/** Whoever subscribes when the job has ended is told by the api, and numbered from here on. */
export const LATE_SUBSCRIBERS_FROM = 2 * JOB_SUBSCRIBERS_MAX + 1;

/** The workflow that delivers the result of a record to its n-th subscriber (counted from 1). */
export function deliveryIdOf(recordId: string, subscriber: number): string {
  return `webhook/${recordId}/${String(subscriber)}`;
}
