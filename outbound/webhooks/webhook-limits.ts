import { WEBHOOK_TEST_TIMEOUT_SECONDS, WEBHOOK_TIMEOUT_SECONDS } from '../../contract/http/webhook-delivery.ts';

/** Bounds of every request to a receiver. */
export const WEBHOOK_CLIENT_LIMITS = {
  timeoutMs: WEBHOOK_TIMEOUT_SECONDS * 1000,
  connectTimeoutMs: 5_000,
  maxResponseBytes: 64 * 1024,
} as const;

/** Those of the test endpoint: somebody waits for its answer. */
export const WEBHOOK_TEST_LIMITS = {
  ...WEBHOOK_CLIENT_LIMITS,
  timeoutMs: WEBHOOK_TEST_TIMEOUT_SECONDS * 1000,
} as const;

/** A little longer than the longest attempt, whose end may come late on a busy machine. */
export const WEBHOOK_TEST_TAKES_MS = WEBHOOK_TEST_LIMITS.timeoutMs + 250;
