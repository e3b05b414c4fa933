import { failureFor } from '../../../contract/failures.ts';
import type { ChannelReference } from '../../../contract/urls/channel-urls.ts';
import { JobError } from '../../../runtime/job-error.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { StaleCursorError, type ChannelPage, type ChannelSource, type DescribedChannel } from '../channel-source.ts';
import { bounded, DESCRIPTION_MAX_CHARS, TITLE_MAX_CHARS } from '../fact-schemas.ts';
import { channelListSchema, playlistItemListSchema, uploadsListSchema, videoListSchema } from './data-api-schemas.ts';
import { pagesFrom, type DataApi, type SendDataApiRequest } from './data-api-client.ts';
import { isRefusedFor } from './data-api-failures.ts';

/** The maximum of `playlistItems.list`, and of the IDs that `videos.list` accepts. */
const PAGE_SIZE = 50;

interface DataApiChannelSettings {
  readonly channelUrlTemplate: string;
  /** Resolves a custom URL (`/c/NAME`), for which the Data API has no method, to a channel ID. @throws JobError */
  readonly resolveCustom: (reference: ChannelReference, call: SourceCall) => Promise<string>;
}

/** Private and deleted videos stay in a channel's playlist without a name. `videos.list` omits them. */
export function createDataApiChannels(api: DataApi, settings: DataApiChannelSettings): ChannelSource {
  return {
    async describe(reference, call) {
      const request = api.begin(call);
      const filter = await filterOf(reference, () => settings.resolveCustom(reference, call));
      const params = { part: ['snippet', 'statistics', 'brandingSettings'], ...filter };
      const [channel] = (await request({ resource: 'channels', params, schema: channelListSchema })).items;
      return toFacts(channel ?? removed(), settings.channelUrlTemplate);
    },
    pages: (channelId, from, call) => listChannelVideos(api.begin(call), channelId, from),
  };
}

/** The parameters by which `channels.list` finds a channel. */
const FILTERS = { id: 'id', handle: 'forHandle', user: 'forUsername', custom: 'id' } as const;

async function filterOf({ kind, name }: ChannelReference, resolveCustom: () => Promise<string>) {
  const value = kind === 'handle' ? `@${name}` : kind === 'custom' ? await resolveCustom() : name;
  return { [FILTERS[kind]]: value };
}

type Channel = (typeof channelListSchema)['_output']['items'][number];

function toFacts({ id, snippet, statistics, brandingSettings }: Channel, urlTemplate: string): DescribedChannel {
  const { customUrl, description } = snippet;
  return {
    facts: {
      vidnet_id: id,
      title: bounded(snippet.title, TITLE_MAX_CHARS),
      description: description && bounded(description, DESCRIPTION_MAX_CHARS),
      url: urlTemplate.replaceAll('{path}', `channel/${encodeURIComponent(id)}`),
      thumbnail: snippet.thumbnails,
      country: snippet.country ?? brandingSettings?.channel?.country,
      total_media: statistics?.videoCount,
      // The API reports a hidden count as 0.
      subscriber_count: statistics?.hiddenSubscriberCount === true ? undefined : statistics?.subscriberCount,
      total_views: statistics?.viewCount,
      creation_date: snippet.publishedAt,
    },
    // Old custom names are in the same field, without the @.
    handle: customUrl?.startsWith('@') === true ? customUrl.toLowerCase() : undefined,
  };
}

/** Reads a channel's list, newest first, with two requests per page. @param from a `nextPageToken` @throws StaleCursorError */
async function* listChannelVideos(
  request: SendDataApiRequest,
  channelId: string,
  from: string | undefined,
): AsyncGenerator<ChannelPage> {
  const playlistId = await uploadsOf(request, channelId);
  if (playlistId === undefined) {
    yield { videos: [] };
    return;
  }
  const pages = pagesFrom(from, (pageToken) => playlistPage(request, playlistId, pageToken));
  for await (const { items, nextPageToken } of pages) {
    const ids = items.map(({ contentDetails }) => contentDetails.videoId);
    const durations = await durationsOf(request, ids);
    const videos = items
      .filter(({ contentDetails }) => durations.has(contentDetails.videoId))
      .map(({ snippet, contentDetails: { videoId, videoPublishedAt } }) => ({
        vidnet_id: videoId,
        title: bounded(snippet.title, TITLE_MAX_CHARS),
        thumbnail: snippet.thumbnails,
        published_at: videoPublishedAt,
        duration: durations.get(videoId),
      }));
    yield { videos, next: nextPageToken };
  }
}

async function uploadsOf(request: SendDataApiRequest, channelId: string): Promise<string | undefined> {
  const params = { part: 'contentDetails', id: channelId };
  const [channel] = (await request({ resource: 'channels', params, schema: uploadsListSchema })).items;
  return (channel ?? removed()).contentDetails.relatedPlaylists.uploads || undefined;
}

function removed(): never {
  throw new JobError(failureFor('subjectRemoved', { subject: 'channel' }));
}

async function playlistPage(request: SendDataApiRequest, playlistId: string, pageToken: string | undefined) {
  try {
    return await request({
      resource: 'playlistItems',
      params: { part: ['snippet', 'contentDetails'], playlistId, maxResults: PAGE_SIZE, pageToken },
      schema: playlistItemListSchema,
    });
  } catch (error) {
    if (pageToken !== undefined && isRefusedFor(error, 'invalidPageToken'))
      throw new StaleCursorError({ cause: error });
    // A channel that has never published anything names a playlist that does not exist.
    if (pageToken === undefined && isRefusedFor(error, 'playlistNotFound'))
      return { items: [], nextPageToken: undefined };
    throw error;
  }
}

async function durationsOf(
  request: SendDataApiRequest,
  videoIds: readonly string[],
): Promise<ReadonlyMap<string, number | undefined>> {
  const ids = [...new Set(videoIds)];
  if (ids.length === 0) return new Map();
  const params = { part: 'contentDetails', id: ids };
  const { items } = await request({ resource: 'videos', params, schema: videoListSchema });
  return new Map(items.map(({ id, contentDetails }) => [id, contentDetails?.duration]));
}
