const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * The time that a `Retry-After` header names (RFC 9110, section 10.2.3): seconds, or an HTTP date.
 *
 * @returns epoch, milliseconds, a day ahead at most; undefined when there is no such header or no sense in it
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const atMs = /^\d{1,10}$/.test(text) ? nowMs + Number(text) * 1000 : httpDateMs(text);
  if (atMs === undefined || atMs <= nowMs) return undefined;
  return Math.min(atMs, nowMs + MAX_WAIT_MS);
}

/** Only the form that senders must use, such as `Sun, 06 Nov 1994 08:49:37 GMT`: Date.parse alone takes almost anything. */
function httpDateMs(text: string): number | undefined {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : undefined;
}
