const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * When a server wants to be asked again.
 *
 * @param header value of Retry-After (RFC 9110, section 10.2.3): seconds or a date
 * @returns epoch, milliseconds, a day ahead at most; undefined when there is no such header, no sense in it, or no wait
 */
export function retryAfterAtMs(header: string | undefined, nowMs = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  const atMs = /^\d{1,7}$/.test(text) ? nowMs + Number(text) * 1000 : httpDateMs(text);
  return atMs > nowMs ? Math.min(atMs, nowMs + MAX_WAIT_MS) : undefined;
}

/** Only the form that senders must use, such as `Sun, 06 Nov 1994 08:49:37 GMT`: Date.parse alone takes almost anything. */
function httpDateMs(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN;
}
