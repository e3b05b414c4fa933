import { WEBHOOK_TIMEOUT_SECONDS } from '../contract/webhooks.ts';

/** Bounds of every request to a receiver, in the test endpoint and at each delivery. */
export const WEBHOOK_CLIENT_LIMITS = {
  timeoutMs: WEBHOOK_TIMEOUT_SECONDS * 1000,
  connectTimeoutMs: 5_000,
  maxResponseBytes: 64 * 1024,
} as const;
