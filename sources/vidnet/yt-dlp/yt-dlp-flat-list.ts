import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import { optional } from '../../../runtime/optional.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { LONG_RUN_CPU_SECONDS, runYtdlp, type YtdlpRunSpec } from './run-yt-dlp.ts';
import { MAX_TEXT_BYTES } from './yt-dlp-facts.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';
import type { MediaInfoPage } from '../../../contract/kinds/media-info.ts';
import { textSchema } from '../fact-schemas.ts';
import { StaleCursorError } from '../channel-source.ts';

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
        found.write(entryIn(schema, line.slice(ENTRY_PREFIX.length)));
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

function entryIn<Entry>(schema: z.ZodType<Entry>, json: string): EntryResult<Entry> {
  if (json.length > ENTRY_MAX_CHARS) return { error: new JobError('entryTooLarge') };
  const { success, data: entry, error } = schema.safeParse(parseJson(json));
  return success ? { entry } : { error: new JobError('listUnreadable', { cause: error }) };
}

/**
 * Splits a list into pages, of which the last has no `next`. @param from `next` of an earlier page: the ID of its last entry
 * @throws StaleCursorError when the list does not have that entry
 */
export async function* listPages<Entry extends { readonly id: string }>(
  entries: AsyncIterable<Entry>,
  from: string | undefined,
): AsyncGenerator<{ readonly entries: readonly Entry[]; readonly next?: string | undefined }> {
  const seen = new Set<string>();
  let isPast = from === undefined;
  let page: Entry[] = [];
  for await (const entry of entries) {
    // A list that grows while it is read repeats entries at the boundary of two pages.
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    // Each page waits for the next entry, because the last page is only known after yt-dlp has succeeded.
    if (page.length === PAGE_SIZE) {
      yield { entries: page, next: page.at(-1)?.id };
      page = [];
    }
    if (isPast) page.push(entry);
    isPast ||= entry.id === from;
  }
  if (!isPast) throw new StaleCursorError();
  yield { entries: page };
}

const entrySchema = z.object({ id: textSchema, url: textSchema, webpage_url: textSchema });

/** Counts the entries of a list that states no number, for some time. @throws JobError when the list cannot be read */
export async function countEntries(
  settings: YtdlpSettings,
  { url, subject, withinMs }: MediaInfoPage & { readonly withinMs: number },
  call: SourceCall,
): Promise<{ readonly count: number; readonly isMinimum: boolean }> {
  const enough = AbortSignal.timeout(withinMs);
  const signal = AbortSignal.any([call.signal, enough]);
  const list = { url, subject, schema: entrySchema, args: ['--ignore-no-formats-error'] };
  // Lists of several tabs, and lists that grow meanwhile, repeat entries.
  const seen = new Set<string>();
  try {
    for await (const entry of flatEntries(settings, list, { ...call, signal }))
      seen.add(entry.id ?? entry.url ?? entry.webpage_url ?? `entry ${String(seen.size)}`);
    return { count: seen.size, isMinimum: false };
  } catch (error) {
    if (!enough.aborted || call.signal.aborted) throw error;
    return { count: seen.size, isMinimum: true };
  }
}
