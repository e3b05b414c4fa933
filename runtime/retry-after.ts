/**
 * When a server wants to be asked again.
 *
 * @param header value of Retry-After (RFC 9110, section 10.2.3): seconds or a date
 * @returns epoch, milliseconds; undefined when there is no such header or no sense in it
 */
export function retryAfterAtMs(header: string | undefined, nowMs = Date.now()): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d{1,7}$/.test(value)) return nowMs + Number(value) * 1000;
  const date = /^[A-Z][a-z]{2},/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : date;
}
