import { readFileSync } from 'node:fs';
import { parseJson } from '../../../runtime/parse-json.ts';
import { bounded } from '../fact-schemas.ts';
import { subjectError } from './yt-dlp-failures.ts';

/** More than the driver keeps of any text. */
const TEXT_MAX_CHARS = 64 * 1024;
/** More than there are languages of captions. */
const ENTRIES_MAX = 500;
const WHOLE_MAX_CHARS = 1024 * 1024;

/** Cuts long texts and lists, so that the result can be validated in one step of the event loop. */
export function* readClipped({ path }: { readonly path: string }): Generator {
  const value = clipped(parseJson(readFileSync(path, 'utf8')));
  if (value !== undefined && JSON.stringify(value).length > WHOLE_MAX_CHARS) {
    throw subjectError('upstreamDataTooLarge', 'video');
  }
  yield value;
}

function clipped(value: unknown): unknown {
  if (typeof value === 'string') return bounded(value, TEXT_MAX_CHARS);
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map(clipped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ENTRIES_MAX)
      .map(([key, entry]) => [key, clipped(entry)]),
  );
}
