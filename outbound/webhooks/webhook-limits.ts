import { WEBHOOK_TEST_TIMEOUT_SECONDS, WEBHOOK_TIMEOUT_SECONDS } from '../../contract/http/webhook-delivery.ts';

/** The limits of every request to a receiver. */
export const WEBHOOK_CLIENT_LIMITS = {
  timeoutMs: WEBHOOK_TIMEOUT_SECONDS * 1000,
  connectTimeoutMs: 5_000,
  maxResponseBytes: 64 * 1024,
} as const;

/** The limits of the test endpoint, whose caller waits for the result. */
export const WEBHOOK_TEST_LIMITS = {
  ...WEBHOOK_CLIENT_LIMITS,
  timeoutMs: WEBHOOK_TEST_TIMEOUT_SECONDS * 1000,
} as const;

/** The duration of the longest attempt, with some margin for a busy machine. */
export const WEBHOOK_TEST_TAKES_MS = WEBHOOK_TEST_LIMITS.timeoutMs + 250;
