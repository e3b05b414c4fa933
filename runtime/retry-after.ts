const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * Parses Retry-After (RFC 9110, section 10.2.3), which holds seconds or a date.
 *
 * @returns the time in milliseconds since the epoch, at most a day ahead; undefined if the header is absent, malformed or past
 */
export function retryAfterAtMs(header: string | undefined, nowMs = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  const atMs = /^\d{1,7}$/.test(text) ? nowMs + Number(text) * 1000 : httpDateMs(text);
  return atMs > nowMs ? Math.min(atMs, nowMs + MAX_WAIT_MS) : undefined;
}

/** Parses only the form that senders must use, because Date.parse accepts almost anything: `Sun, 06 Nov 1994 08:49:37 GMT`. */
function httpDateMs(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN;
}
