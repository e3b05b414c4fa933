import { SUBJECT_VALUES } from './yt-dlp-failures.ts';
import { failureFor } from '../../../contract/failures.ts';
import { readFileSync } from 'node:fs';
import { JobError } from '../../../runtime/job-error.ts';
import { parseJson } from '../../../runtime/parse-json.ts';

/** More than the driver ever keeps of a text. */
const TEXT_MAX_CHARS = 64 * 1024;
/** More than there are languages of captions, for each of which some 30 µs are spent. */
const ENTRIES_MAX = 500;
const WHOLE_MAX_CHARS = 1024 * 1024;

/**
 * The JSON of a file without the rest of texts and lists that have no end: what comes out can be looked at in one turn of the
 * event loop. Something else than JSON is undefined.
 *
 * @throws JobError `too_large` when it is large all the same
 */
export function* readClipped({ path }: { readonly path: string }): Generator {
  const value = clipped(parseJson(readFileSync(path, 'utf8')));
  if (value !== undefined && JSON.stringify(value).length > WHOLE_MAX_CHARS) {
    throw new JobError(failureFor('upstreamDataTooLarge', SUBJECT_VALUES.video));
  }
  yield value;
}

function clipped(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT_MAX_CHARS);
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map(clipped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ENTRIES_MAX)
      .map(([key, entry]) => [key, clipped(entry)]),
  );
}
