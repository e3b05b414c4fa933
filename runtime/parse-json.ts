/** Control characters except line feed and tab. CR LF and CR end lines too. */
const CONTROL = /\r\n?|[^\P{Cc}\n\t]/gu;

/**
 * Parses JSON from outside. Its strings become well-formed and lose their control characters, because strict readers of JSON,
 * XML and subtitles accept neither.
 *
 * @returns the parsed value; undefined if the text is not JSON, or is nested too deeply
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
  if (typeof value === 'string') {
    return value.toWellFormed().replace(CONTROL, (found) => (found.startsWith('\r') ? '\n' : ''));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const entry = cleaned(fields[key]);
    if (entry !== fields[key]) fields[key] = entry;
  }
  return fields;
}
