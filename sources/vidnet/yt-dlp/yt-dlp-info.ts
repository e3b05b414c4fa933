import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { MediaInfoFacts, MediaInfoPage } from '../../../contract/kinds/media-info.ts';
import { formatDuration } from '../../../contract/text/times.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { bounded, chaptersSchema, countSchema, lineSchema, linkSchema, oneLine, textSchema } from '../fact-schemas.ts';
import { readClipped, readFileBy } from './read-file.ts';
import { countEntries } from './yt-dlp-flat-list.ts';
import { writeFacts } from './yt-dlp-facts.ts';
import { subjectError, ytdlpRefusal } from './yt-dlp-failures.ts';
import { formatKeys, formatsSchema, shownFormats } from './yt-dlp-formats.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';
import { bestThumbnails, thumbnailsSchema, toVideoFacts, videoSchema } from './yt-dlp-video.ts';
import { tracksOf, trackListSchema } from './yt-dlp-tracks.ts';
import { orMissing } from '../../../store/files/or-missing.ts';

export type MediaInfoSource = ReturnType<typeof createMediaInfoSource>;

/** The answer stays below 100 kB, whatever the page says. */
const DESCRIPTION_MAX_CHARS = 5_000;
const TITLE_MAX_CHARS = 300;
const CHAPTERS_MAX = 100;
const CAPTIONS_MAX = 200;
const THUMBNAILS_MAX = 5;
/** Of the seconds in which an answer is expected, yt-dlp needs some to start and to read the page. */
const COUNTING_MS = 6_000;

const videoInfoSchema = videoSchema.extend({
  thumbnail: linkSchema,
  thumbnails: thumbnailsSchema,
  chapters: chaptersSchema,
  subtitles: trackListSchema,
  automatic_captions: trackListSchema,
});
const foundSchema = z.object({ formats: formatsSchema, facts: videoInfoSchema });

const listSchema = z.object({
  title: lineSchema,
  description: textSchema,
  webpage_url: linkSchema,
  channel: lineSchema,
  channel_id: textSchema,
  uploader: lineSchema,
  thumbnails: thumbnailsSchema,
  playlist_count: countSchema,
});

const VIDEO_TEMPLATE =
  `video:{"formats":%(formats.:.{${formatKeys}}|[])j,` +
  `"facts":%(.{${Object.keys(videoInfoSchema.shape).join(',')}})j}`;
const LIST_TEMPLATE = `playlist:%(.{${Object.keys(listSchema.shape).join(',')}})j`;
const LIST_FILE = 'list.json';

/** Other extractors list captions only if they are requested. None is fetched. */
const LIST_CAPTIONS = ['--write-subs', '--write-auto-subs', '--sub-langs=-all'];
const COMMON = ['--flat-playlist', '--no-playlist', '--ignore-no-formats-error', ...LIST_CAPTIONS];

interface PageFacts {
  readonly path: string;
  readonly warnings: string;
}

export function createMediaInfoSource(settings: YtdlpSettings) {
  /** @param items the entries of a list that yt-dlp reads */
  const readPage = async ({ url, subject }: MediaInfoPage, items: readonly string[], call: SourceCall) => {
    const { path, warnings, folder } = await writeFacts(settings, call, {
      subject,
      url,
      args: [...items, ...COMMON, '--print-to-file', LIST_TEMPLATE, LIST_FILE],
      extractorArgs: [{ extractor: 'youtube', args: { skip: ['translated_subs'] } }],
      template: VIDEO_TEMPLATE,
    });
    const list = await readFile(join(folder, LIST_FILE), 'utf8').catch(orMissing);
    return {
      path,
      warnings,
      list: list === undefined ? undefined : listSchema.catch({ thumbnails: [] }).parse(parseJson(list)),
    };
  };

  const videoAt = async ({ path, warnings }: PageFacts, page: MediaInfoPage, call: SourceCall) => {
    for await (const value of readFileBy(readClipped, { path }, call)) {
      const found = foundSchema.safeParse(value);
      if (found.success) return videoFacts(settings, page, { ...found.data, warnings });
    }
    throw ytdlpRefusal(warnings, page.subject) ?? subjectError('pageUnreadable', page.subject);
  };

  return {
    /** Reads a page and fetches no media. @throws JobError, such as `removed` */
    async read(page: MediaInfoPage, call: SourceCall): Promise<MediaInfoFacts> {
      // No entry of a list is read, but its own facts are.
      const first = await readPage(page, ['--playlist-items', '0'], call);
      const { list } = first;
      if (list === undefined) return videoAt(first, page, call);
      const isChannel = page.subject === 'channel';
      // The entries of a channel may be its tabs.
      const stated = isChannel ? undefined : list.playlist_count;
      const counted =
        stated === undefined
          ? await countEntries(settings, { ...page, withinMs: COUNTING_MS }, call)
          : { count: stated, isMinimum: false };
      if (!isChannel && counted.count === 1) {
        const only = await readPage(page, ['--no-flat-playlist', '--playlist-items', '1'], call);
        return videoAt(only, page, call);
      }
      const uploader = list.channel ?? list.uploader;
      const title = (isChannel ? uploader : undefined) ?? list.title;
      return {
        kind: isChannel ? 'channel' : 'playlist',
        url: list.webpage_url ?? page.url,
        title: title && bounded(title, TITLE_MAX_CHARS),
        description: list.description && bounded(list.description, DESCRIPTION_MAX_CHARS),
        uploader: uploader && bounded(uploader, TITLE_MAX_CHARS),
        channel_id: list.channel_id,
        entry_count: counted.count,
        ...(counted.isMinimum && { entry_count_is_minimum: true }),
        thumbnails: bestThumbnails(list.thumbnails, THUMBNAILS_MAX),
      };
    },
  };
}

const LIVE_STATUSES = {
  not_live: 'not_live',
  is_upcoming: 'upcoming',
  is_live: 'live',
  was_live: 'ended',
  post_live: 'ended',
} as const;

interface Found extends z.infer<typeof foundSchema> {
  readonly warnings: string;
}

function videoFacts(settings: YtdlpSettings, page: MediaInfoPage, found: Found): MediaInfoFacts {
  const { facts, warnings } = found;
  const status = facts.live_status as keyof typeof LIVE_STATUSES | undefined;
  const liveStatus = status && LIVE_STATUSES[status];
  const tracks = tracksOf(facts.subtitles, facts.automatic_captions);
  const formats = shownFormats(found.formats, facts.duration);
  const isAnnounced = liveStatus === 'upcoming' || liveStatus === 'live';
  const refusal = isAnnounced || formats.isAny || tracks.length > 0 ? undefined : ytdlpRefusal(warnings, page.subject);
  if (refusal !== undefined) throw refusal;
  const { link, title, description, durationSeconds, channelName, ...video } = toVideoFacts(settings, '', facts);
  const best = facts.thumbnail === undefined ? [] : [{ url: facts.thumbnail }];
  const thumbnails = bestThumbnails(facts.thumbnails, THUMBNAILS_MAX);
  return {
    kind: 'video',
    url: facts.webpage_url === undefined ? page.url : link,
    title: title === '' ? undefined : bounded(title, TITLE_MAX_CHARS),
    description: description && bounded(description, DESCRIPTION_MAX_CHARS),
    uploader: channelName && bounded(channelName, TITLE_MAX_CHARS),
    channel_id: video.channelId,
    published_at: video.publishedAt,
    duration: durationSeconds === undefined ? undefined : formatDuration(durationSeconds),
    live_status: liveStatus,
    view_count: video.viewCount,
    like_count: video.likeCount,
    comment_count: video.commentCount,
    thumbnails: thumbnails.length > 0 ? thumbnails : best,
    chapters: facts.chapters.slice(0, CHAPTERS_MAX).map((chapter) => ({
      title: bounded(chapter.title ?? '', TITLE_MAX_CHARS),
      start: chapter.start_time,
      end: chapter.end_time ?? undefined,
    })),
    ...formats.shown,
    captions: tracks
      .slice(0, CAPTIONS_MAX)
      .map(({ language, kind, name }) => ({ language, kind, name: name && bounded(oneLine(name), TITLE_MAX_CHARS) })),
  };
}
