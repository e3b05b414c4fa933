import { PassThrough } from 'node:stream';
import { z } from 'zod';
import type { ChannelPage, ChannelSource } from '../channel-source.ts';
import { channelPathOf } from '../../../contract/urls/channel-urls.ts';
import type { ChannelVideoItem } from '../../../contract/kinds/channel.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { SourceCall } from '../../source-call-options.ts';
import {
  bounded,
  countSchema,
  DESCRIPTION_MAX_CHARS,
  formatTimestamp,
  lineSchema,
  linkSchema,
  textSchema,
  TITLE_MAX_CHARS,
} from '../fact-schemas.ts';
import { LONG_RUN_CPU_SECONDS } from './page-reading.ts';
import { runYtdlp } from './run-yt-dlp.ts';
import { MAX_TEXT_BYTES, readFacts } from './yt-dlp-facts.ts';
import { after, formatCursor, parseCursor } from './yt-dlp-list-cursor.ts';
import { channelUrl, type YtdlpSettings } from './yt-dlp-settings.ts';
import { largestThumbnail, thumbnailsSchema } from './yt-dlp-thumbnails.ts';

const PAGE_SIZE = 100;
const ENTRY_PREFIX = 'TAPEDECK-ENTRY ';

type EntryResult = ChannelVideoItem | { readonly error: unknown };

/** Three times the duration for 100,000 videos. */
const LISTING_TIMEOUT_MS = 3_600_000;

/** An entry usually has 2 KB. */
const ENTRY_MAX_CHARS = 64 * 1024;

const entrySchema = z.object({
  id: z.string().min(1),
  title: lineSchema,
  duration: z.number().nonnegative().optional().catch(undefined),
  timestamp: z.number().optional().catch(undefined),
  thumbnail: linkSchema,
  thumbnails: thumbnailsSchema,
});
const ENTRY_TEMPLATE = '%(.{id,title,duration,timestamp,thumbnail,thumbnails})j';

/** Without `playlist_count` and `view_count`, which may be the number of tabs and the views of a list. */
const factsSchema = z.object({
  id: z.string().min(1),
  channel_id: textSchema,
  channel: lineSchema,
  uploader: lineSchema,
  title: lineSchema,
  description: textSchema,
  channel_follower_count: countSchema,
  uploader_id: textSchema,
  channel_url: linkSchema,
  uploader_url: linkSchema,
  webpage_url: linkSchema,
  thumbnails: thumbnailsSchema,
});
type Facts = z.infer<typeof factsSchema>;

const TEMPLATE = `playlist:%(.{${Object.keys(factsSchema.shape).join(',')}})j`;

/** Channels read by yt-dlp. Country, numbers of views and of media, and the day of creation are unknown. */
export function createYtdlpChannels(settings: YtdlpSettings): ChannelSource {
  return {
    async describe(reference, call) {
      const url = channelUrl(settings, channelPathOf(reference).split('/'));
      const { facts } = await readFacts<Facts>(settings, call, {
        subject: 'channel',
        url,
        template: TEMPLATE,
        schema: factsSchema,
        args: ['--flat-playlist', '--playlist-items', '0', '--no-ignore-errors'],
      });
      const { uploader_id: handle, description } = facts;
      return {
        facts: {
          vidnet_id: facts.channel_id ?? facts.id,
          title: facts.channel ?? facts.uploader ?? facts.title ?? facts.id,
          description: description && bounded(description, DESCRIPTION_MAX_CHARS),
          url: facts.channel_url ?? facts.uploader_url ?? facts.webpage_url ?? url,
          thumbnail: largestThumbnail(facts.thumbnails),
          subscriber_count: facts.channel_follower_count,
        },
        handle: handle?.startsWith('@') === true ? handle.toLowerCase() : undefined,
      };
    },

    async *pages(channelId, from, call) {
      const cursor = from === undefined ? undefined : parseCursor(from);
      const url = channelUrl(settings, ['channel', channelId]);
      const numbered = withoutRepeats(listEntries(settings, url, call));
      yield* inPages(cursor === undefined ? numbered : after(numbered, cursor));
    },
  };
}

type Numbered = ChannelVideoItem & { readonly number: number };

/** A list that grows while it is read repeats videos at the boundary of two pages. */
async function* withoutRepeats(videos: AsyncIterable<ChannelVideoItem>): AsyncGenerator<Numbered> {
  const seen = new Set<string>();
  for await (const video of videos) {
    if (seen.has(video.vidnet_id)) continue;
    seen.add(video.vidnet_id);
    yield { ...video, number: seen.size };
  }
}

/** Each page waits for the next video, because the last page is only known after yt-dlp has succeeded. */
async function* inPages(videos: AsyncIterable<Numbered>): AsyncGenerator<ChannelPage> {
  let page: Numbered[] = [];
  for await (const video of videos) {
    const last = page.at(-1);
    if (page.length === PAGE_SIZE && last !== undefined) {
      yield { videos: page.map(unnumbered), next: formatCursor({ count: last.number, lastId: last.vidnet_id }) };
      page = [];
    }
    page.push(video);
  }
  yield { videos: page.map(unnumbered) };
}

function unnumbered({ number: _, ...video }: Numbered): ChannelVideoItem {
  return video;
}

/**
 * Lists the videos of a channel while one run of yt-dlp reads them. The tabs (videos, live streams, shorts) follow each other,
 * each newest first. yt-dlp does not wait for a slow consumer, so its output is buffered: 100,000 videos take about 30 MB.
 *
 * @throws JobError when the list cannot be read to its end
 */
async function* listEntries(settings: YtdlpSettings, url: string, call: SourceCall): AsyncGenerator<ChannelVideoItem> {
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
      args: [
        '--flat-playlist',
        '--lazy-playlist',
        '--no-ignore-errors',
        '--print',
        `video:${ENTRY_PREFIX}${ENTRY_TEMPLATE}`,
      ],
      extractorArgs: [{ extractor: 'youtube', args: { raise_incomplete_data: [] } }],
      maxFileBytes: MAX_TEXT_BYTES,
      reading: { maxCpuSeconds: LONG_RUN_CPU_SECONDS },
      onStdoutLine: (line, reading) => {
        if (!line.startsWith(ENTRY_PREFIX)) return;
        reading.restart();
        const isTooLarge = line.length > ENTRY_MAX_CHARS;
        found.write(
          isTooLarge
            ? { error: new JobError('entryTooLarge') }
            : toVideo(parseJson(line.slice(ENTRY_PREFIX.length)), isTimeExact),
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
