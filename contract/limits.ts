/** Limits of the specification, section 8, and of the requests themselves. */
export const REQUEST_BODY_MAX_BYTES = 64 * 1024;
export const WEBHOOK_URL_MAX_CHARS = 2048;
/** Longest `Prefer: wait=N` (RFC 7240) that is honoured. */
export const PREFER_WAIT_MAX_SECONDS = 60;
/** Poll interval told by `Retry-After` of a pending answer. */
export const POLL_INTERVAL_SECONDS = 30;
