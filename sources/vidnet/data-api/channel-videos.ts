import { failureFor } from '../../../contract/failures.ts';
import { type ChannelPage, StaleCursorError } from '../channel-source.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { bounded, TITLE_MAX_CHARS } from '../fact-schemas.ts';
import { playlistItemListSchema, uploadsListSchema, videoListSchema } from './data-api-schemas.ts';
import { pagesFrom, type SendDataApiRequest } from './data-api-client.ts';
import { isRefusedFor } from './data-api-failures.ts';

/** The maximum of `playlistItems.list`, and of the IDs that `videos.list` accepts. */
const PAGE_SIZE = 50;

/** Reads a channel's list, newest first, with two requests per page. @param from a `nextPageToken` @throws StaleCursorError */
export async function* listChannelVideos(
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
    const durations = await durationsOf(
      request,
      items.map((item) => item.contentDetails.videoId),
    );
    const videos = items.flatMap(({ snippet, contentDetails: { videoId, videoPublishedAt } }) => {
      if (!durations.has(videoId)) return [];
      return [
        {
          vidnet_id: videoId,
          title: bounded(snippet.title, TITLE_MAX_CHARS),
          thumbnail: snippet.thumbnails,
          published_at: videoPublishedAt,
          duration: durations.get(videoId),
        },
      ];
    });
    yield { videos, next: nextPageToken };
  }
}

/** The ID of the playlist of all videos of a channel; undefined when it has none. */
async function uploadsOf(request: SendDataApiRequest, channelId: string): Promise<string | undefined> {
  const { items } = await request({
    resource: 'channels',
    params: { part: 'contentDetails', id: channelId },
    schema: uploadsListSchema,
  });
  const [channel] = items;
  if (channel === undefined) throw new JobError(failureFor('subjectRemoved', { subject: 'channel' }));
  const { uploads } = channel.contentDetails.relatedPlaylists;
  return uploads === '' || uploads === null ? undefined : uploads;
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

/** The durations of the public videos in seconds; undefined if the platform does not state one. */
async function durationsOf(
  request: SendDataApiRequest,
  videoIds: readonly string[],
): Promise<ReadonlyMap<string, number | undefined>> {
  const ids = [...new Set(videoIds)];
  if (ids.length === 0) return new Map();
  const { items } = await request({
    resource: 'videos',
    params: { part: 'contentDetails', id: ids },
    schema: videoListSchema,
  });
  return new Map(items.map(({ id, contentDetails }) => [id, contentDetails?.duration]));
}
