import type { CatalogueVideo } from '../catalogue.ts';
import { videoThumbnails } from '../thumbnails.ts';
import type { ApiCall } from './call.ts';
import { pageOf } from './query.ts';
import { missingParameter, playlistNotFound } from './refusals.ts';
import { apiTime, listResponse, resource, thumbnailMap } from './resources.ts';

const MAX_RESULTS = { fallback: 5, max: 50 };

/** playlistItems.list of a channel's uploads; there are no other playlists. */
export function listPlaylistItems(call: ApiCall): object {
  const { query, library, stats } = call;
  query.parts({});
  const size = query.maxResults(MAX_RESULTS);
  const playlistId = query.text('playlistId');
  if (playlistId === undefined) throw missingParameter('No filter selected. Expected one of: id, playlistId', '');
  const channel = playlistId.startsWith('UU') ? library.channel(`channel/UC${playlistId.slice(2)}`) : undefined;
  const videos = channel === undefined || channel.case === 'removed' ? [] : library.uploads(channel);
  // The real API has no list of uploads for a channel that never uploaded anything.
  if (channel === undefined || videos.length === 0) throw playlistNotFound();
  const { items, position, next } = pageOf(videos, { key: playlistId, size, token: query.text('pageToken') });
  stats.addPlaylistItems(channel.id, position);
  return listResponse(
    'playlistItem',
    items.map((video, index) => itemResource(video, { call, playlistId, position: position + index })),
    { totalResults: videos.length, resultsPerPage: size, tokens: next },
  );
}

function itemResource(
  video: CatalogueVideo,
  { call, playlistId, position }: { call: ApiCall; playlistId: string; position: number },
): object {
  const { id, channel, title, description } = video;
  const publishedAt = apiTime(video.publishedAt);
  return {
    ...resource('playlistItem', Buffer.from(`${playlistId}.${id}`).toString('base64url')),
    ...call.query.parts({
      snippet: {
        publishedAt,
        channelId: channel.id,
        title,
        description,
        thumbnails: thumbnailMap(videoThumbnails(video, call.baseUrl)),
        channelTitle: channel.title,
        playlistId,
        position,
        resourceId: { kind: 'youtube#video', videoId: id },
        videoOwnerChannelTitle: channel.title,
        videoOwnerChannelId: channel.id,
      },
      contentDetails: { videoId: id, videoPublishedAt: publishedAt },
      status: { privacyStatus: 'public' },
    }),
  };
}
