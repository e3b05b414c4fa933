import { z } from 'zod';
import type { ChannelPage, ChannelSource } from '../channel-source.ts';
import { channelPathOf } from '../../../contract/urls/channel-urls.ts';
import type { ChannelVideoItem } from '../../../contract/kinds/channel.ts';
import { listEntries } from './yt-dlp-entries.ts';
import { bounded, countSchema, DESCRIPTION_MAX_CHARS, linkSchema, textSchema } from '../fact-schemas.ts';
import { readFacts } from './yt-dlp-facts.ts';
import { after, formatCursor, parseCursor } from './yt-dlp-list-cursor.ts';
import { channelUrl, type YtdlpSettings } from './yt-dlp-settings.ts';
import { largestThumbnail, thumbnailsSchema } from './yt-dlp-thumbnails.ts';

const PAGE_SIZE = 100;

/** Without `playlist_count` and `view_count`, which may be the number of tabs and the views of a list. */
const factsSchema = z.object({
  id: z.string().min(1),
  channel_id: textSchema,
  channel: textSchema,
  uploader: textSchema,
  title: textSchema,
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
