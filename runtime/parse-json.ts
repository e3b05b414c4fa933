/** Control characters except line feed and tab. CR LF and CR end lines too. */
const CONTROL = /\r\n?|[^\P{Cc}\n\t]/gu;

/**
 * Parses JSON from outside, makes its strings well-formed and removes control characters, which strict readers reject.
 *
 * @returns undefined if the text is not JSON, or is nested too deeply
 */
export function parseJson(text: string): unknown {
  try {
    return cleaned(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Changes objects in their memory, because a reviver or a copy would need several times as much. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string')
    return value.toWellFormed().replace(CONTROL, (found) => (found.startsWith('\r') ? '\n' : ''));
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, entry] of Object.entries(value)) {
    const clean = cleaned(entry);
    if (clean !== entry) Reflect.set(value, key, clean);
  }
  return value;
}
