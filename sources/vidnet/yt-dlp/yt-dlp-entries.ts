import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import type { ChannelVideoItem } from '../../../contract/kinds/channel.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { LONG_RUN_CPU_SECONDS } from './page-reading.ts';
import { runYtdlp } from './run-yt-dlp.ts';
import { bounded, formatTimestamp, linkSchema, textSchema, TITLE_MAX_CHARS } from '../fact-schemas.ts';
import { MAX_TEXT_BYTES } from './yt-dlp-facts.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';
import { largestThumbnail, thumbnailsSchema } from './yt-dlp-thumbnails.ts';

const PREFIX = 'TAPEDECK-ENTRY ';

type EntryResult = ChannelVideoItem | { readonly error: unknown };

/** Three times the duration for 100,000 videos. */
const LISTING_TIMEOUT_MS = 3_600_000;

/** An entry usually has 2 KB. */
const ENTRY_MAX_CHARS = 64 * 1024;

const entrySchema = z.object({
  id: z.string().min(1),
  title: textSchema,
  duration: z.number().nonnegative().optional().catch(undefined),
  timestamp: z.number().optional().catch(undefined),
  thumbnail: linkSchema,
  thumbnails: thumbnailsSchema,
});

/**
 * Lists the videos of a channel while one run of yt-dlp reads them. The tabs (videos, live streams, shorts) follow each other,
 * each newest first. yt-dlp does not wait for a slow consumer, so its output is buffered: 100,000 videos take about 30 MB.
 *
 * @throws JobError when the list cannot be read to its end
 */
export async function* listEntries(
  settings: YtdlpSettings,
  url: string,
  call: SourceCall,
): AsyncGenerator<ChannelVideoItem> {
  // With this extractor argument, yt-dlp computes times from texts such as "3 weeks ago".
  const isTimeExact = !/approximate[_-]date/.test(settings.extractorArgs ?? '');
  const found = new PassThrough({ objectMode: true });
  const consumerDone = new AbortController();
  const running = runYtdlp(
    settings,
    {
      ...call,
      timeoutMs: Math.min(call.timeoutMs, LISTING_TIMEOUT_MS),
      signal: AbortSignal.any([call.signal, consumerDone.signal]),
    },
    {
      subject: 'channel',
      url,
      // With --no-ignore-errors, a failed page is not left out of the list.
      args: ['--flat-playlist', '--lazy-playlist', '--no-ignore-errors', '--print', `video:${PREFIX}${TEMPLATE}`],
      extractorArgs: [{ extractor: 'youtube', args: { raise_incomplete_data: [] } }],
      maxFileBytes: MAX_TEXT_BYTES,
      reading: { maxCpuSeconds: LONG_RUN_CPU_SECONDS },
      onStdoutLine: (line, reading) => {
        if (!line.startsWith(PREFIX)) return;
        reading.restart();
        const isTooLarge = line.length > ENTRY_MAX_CHARS;
        found.write(
          isTooLarge
            ? { error: new JobError('entryTooLarge') }
            : toVideo(parseJson(line.slice(PREFIX.length)), isTimeExact),
        );
      },
    },
  ).then(
    () => found.end(),
    (error: unknown) => found.end({ error }),
  );
  try {
    for await (const result of found as AsyncIterable<EntryResult>) {
      if ('error' in result) throw result.error;
      yield result;
    }
  } finally {
    consumerDone.abort(new Error('the consumer of the list has stopped'));
    await running;
  }
}

const TEMPLATE = '%(.{id,title,duration,timestamp,thumbnail,thumbnails})j';

function toVideo(value: unknown, isTimeExact: boolean): EntryResult {
  const { success, data: entry, error } = entrySchema.safeParse(value);
  if (!success) {
    return { error: new JobError('listUnreadable', { cause: error }) };
  }
  return {
    vidnet_id: entry.id,
    title: bounded(entry.title ?? entry.id, TITLE_MAX_CHARS),
    thumbnail: largestThumbnail(entry.thumbnails) ?? entry.thumbnail,
    published_at: isTimeExact ? formatTimestamp(entry.timestamp) : undefined,
    duration: entry.duration === undefined ? undefined : Math.round(entry.duration),
  };
}
