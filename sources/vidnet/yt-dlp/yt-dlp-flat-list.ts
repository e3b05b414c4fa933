import { PassThrough } from 'node:stream';
import type { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import { optional } from '../../../runtime/optional.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { LONG_RUN_CPU_SECONDS } from './page-reading.ts';
import { runYtdlp, type YtdlpRunSpec } from './run-yt-dlp.ts';
import { MAX_TEXT_BYTES } from './yt-dlp-facts.ts';
import { after, formatCursor, parseCursor } from './yt-dlp-list-cursor.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

const PAGE_SIZE = 100;
/** Without it, a list of YouTube whose pages fail ends early with only a warning. */
export const COMPLETE_LISTS = { extractor: 'youtube', args: { raise_incomplete_data: [] } };
const ENTRY_PREFIX = 'TAPEDECK-ENTRY ';

/** Three times the duration for 100,000 videos. */
const LISTING_TIMEOUT_MS = 3_600_000;

/** An entry usually has 2 KB. */
const ENTRY_MAX_CHARS = 64 * 1024;

type EntryResult<Entry> = { readonly entry: Entry } | { readonly error: unknown };

interface FlatList<Entry> extends Pick<YtdlpRunSpec, 'subject' | 'extractorArgs'> {
  readonly url: string;
  /** Its keys are the fields that yt-dlp prints. */
  readonly schema: z.ZodObject & z.ZodType<Entry>;
  /** Further arguments. */
  readonly args?: readonly string[];
  /** How many entries are read; default: all. yt-dlp requests no page after them. */
  readonly most?: number;
}

/**
 * Reads the entries of a list while one run of yt-dlp reads them. yt-dlp does not wait for a slow consumer, so its output is
 * buffered: 100,000 entries take about 30 MB.
 *
 * @throws JobError when the list cannot be read to its end
 */
export async function* flatEntries<Entry>(
  settings: YtdlpSettings,
  { url, subject, schema, most = Infinity, extractorArgs, args = [] }: FlatList<Entry>,
  call: SourceCall,
): AsyncGenerator<Entry> {
  const found = new PassThrough({ objectMode: true });
  const consumerDone = new AbortController();
  const template = `%(.{${Object.keys(schema.shape).join(',')}})j`;
  const running = runYtdlp(
    settings,
    {
      ...call,
      timeoutMs: Math.min(call.timeoutMs, LISTING_TIMEOUT_MS),
      signal: AbortSignal.any([call.signal, consumerDone.signal]),
    },
    {
      subject,
      url,
      // With --no-ignore-errors, a failed page is not left out of the list.
      args: [
        ...['--flat-playlist', '--lazy-playlist', '--no-ignore-errors', ...args],
        ...(most === Infinity ? [] : ['--playlist-items', `1:${String(most)}`]),
        ...['--print', `video:${ENTRY_PREFIX}${template}`],
      ],
      ...optional('extractorArgs', extractorArgs),
      maxFileBytes: MAX_TEXT_BYTES,
      reading: { maxCpuSeconds: LONG_RUN_CPU_SECONDS },
      onStdoutLine: (line, reading) => {
        if (!line.startsWith(ENTRY_PREFIX)) return;
        reading.restart();
        const isTooLarge = line.length > ENTRY_MAX_CHARS;
        found.write(
          isTooLarge
            ? { error: new JobError('entryTooLarge') }
            : entryOf(schema, parseJson(line.slice(ENTRY_PREFIX.length))),
        );
      },
    },
  ).then(
    () => found.end(),
    (error: unknown) => found.end({ error }),
  );
  try {
    for await (const result of found as AsyncIterable<EntryResult<Entry>>) {
      if ('error' in result) throw result.error;
      yield result.entry;
    }
  } finally {
    consumerDone.abort(new Error('the consumer of the list has stopped'));
    await running;
  }
}

function entryOf<Entry>(schema: z.ZodType<Entry>, value: unknown): EntryResult<Entry> {
  const { success, data: entry, error } = schema.safeParse(value);
  return success ? { entry } : { error: new JobError('listUnreadable', { cause: error }) };
}

interface ListPage<Entry> {
  readonly entries: readonly Entry[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** Splits a list into pages. @param from `next` of an earlier page @throws StaleCursorError */
export async function* listPages<Entry extends { readonly id: string }>(
  entries: AsyncIterable<Entry>,
  from: string | undefined,
): AsyncGenerator<ListPage<Entry>> {
  const cursor = from === undefined ? undefined : parseCursor(from);
  const numbered = withoutRepeats(entries);
  // Each page waits for the next entry, because the last page is only known after yt-dlp has succeeded.
  let page: Numbered<Entry>[] = [];
  for await (const one of cursor === undefined ? numbered : after(numbered, cursor)) {
    const last = page.at(-1);
    if (page.length === PAGE_SIZE && last !== undefined) {
      yield { entries: page.map(({ entry }) => entry), next: formatCursor({ count: last.number, lastId: last.id }) };
      page = [];
    }
    page.push(one);
  }
  yield { entries: page.map(({ entry }) => entry) };
}

interface Numbered<Entry> {
  readonly id: string;
  readonly entry: Entry;
  readonly number: number;
}

/** A list that grows while it is read repeats entries at the boundary of two pages. */
async function* withoutRepeats<Entry extends { readonly id: string }>(
  entries: AsyncIterable<Entry>,
): AsyncGenerator<Numbered<Entry>> {
  const seen = new Set<string>();
  for await (const entry of entries) {
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    yield { id: entry.id, entry, number: seen.size };
  }
}
