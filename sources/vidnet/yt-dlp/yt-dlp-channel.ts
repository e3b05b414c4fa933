import { z } from 'zod';
import type { ChannelSource } from '../channel-source.ts';
import { channelPathOf } from '../../../contract/urls/channel-urls.ts';
import type { ChannelVideoItem } from '../../../contract/kinds/channel.ts';
import { optional } from '../../../runtime/optional.ts';
import {
  amountSchema,
  bounded,
  numberSchema,
  countSchema,
  DESCRIPTION_MAX_CHARS,
  formatTimestamp,
  lineSchema,
  linkSchema,
  textSchema,
  TITLE_MAX_CHARS,
} from '../fact-schemas.ts';
import { readFacts } from './yt-dlp-facts.ts';
import { COMPLETE_LISTS, flatEntries, listPages } from './yt-dlp-flat-list.ts';
import { channelUrl, type YtdlpSettings } from './yt-dlp-settings.ts';
import { largestThumbnail, thumbnailsSchema } from './yt-dlp-video.ts';

const entrySchema = z.object({
  id: z.string().min(1),
  title: lineSchema,
  duration: amountSchema,
  timestamp: numberSchema,
  thumbnail: linkSchema,
  thumbnails: thumbnailsSchema,
});

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
      const url = channelUrl(settings, ['channel', channelId]);
      // With this extractor argument, yt-dlp computes times from texts such as "3 weeks ago".
      const isTimeExact = !/approximate[_-]date/.test(settings.extractorArgs ?? '');
      // The tabs (videos, live streams, shorts) follow each other, each newest first.
      const list = { url, subject: 'channel', schema: entrySchema, extractorArgs: [COMPLETE_LISTS] } as const;
      const entries = flatEntries(settings, list, call);
      for await (const { entries: videos, next } of listPages(entries, from))
        yield { videos: videos.map((entry) => toVideo(entry, isTimeExact)), ...optional('next', next) };
    },
  };
}

function toVideo(entry: z.infer<typeof entrySchema>, isTimeExact: boolean): ChannelVideoItem {
  return {
    vidnet_id: entry.id,
    title: bounded(entry.title ?? entry.id, TITLE_MAX_CHARS),
    thumbnail: largestThumbnail(entry.thumbnails) ?? entry.thumbnail,
    published_at: isTimeExact ? formatTimestamp(entry.timestamp) : undefined,
    duration: entry.duration === undefined ? undefined : Math.round(entry.duration),
  };
}
