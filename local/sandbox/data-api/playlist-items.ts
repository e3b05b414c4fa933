import type { CatalogueVideo } from '../catalogue.ts';
import { videoThumbnails } from '../thumbnails.ts';
import { apiRefusal, pageOf, type ApiCall } from './query.ts';
import { apiTime, listResponse, resource, thumbnailMap } from './resources.ts';

const MAX_RESULTS = { fallback: 5, max: 50 };

/** playlistItems.list of a channel's uploads; there are no other playlists. */
export function listPlaylistItems(call: ApiCall): object {
  const { query, library, stats } = call;
  const size = query.pageSize(MAX_RESULTS);
  const playlistId = query.required('playlistId');
  const channel = playlistId.startsWith('UU') ? library.channel(`channel/UC${playlistId.slice(2)}`) : undefined;
  const videos = channel === undefined || channel.case === 'removed' ? [] : library.uploads(channel);
  // A channel without uploads has no such playlist in the real API.
  if (channel === undefined || videos.length === 0) {
    throw apiRefusal(404, 'playlistNotFound', 'The playlist of the playlistId parameter cannot be found.');
  }
  const { items, position, ...tokens } = pageOf(videos, { key: playlistId, size, token: query.text('pageToken') });
  stats.addPlaylistItems(channel.id, position);
  return listResponse(
    'playlistItem',
    items.map((video, index) => itemResource(video, { call, playlistId, position: position + index })),
    { totalResults: videos.length, ...tokens },
  );
}

function itemResource(
  video: CatalogueVideo,
  { call, playlistId, position }: { call: ApiCall; playlistId: string; position: number },
): object {
  return {
    ...resource('playlistItem', Buffer.from(`${playlistId}.${video.id}`).toString('base64url')),
    ...call.query.parts({
      snippet: {
        title: video.title,
        thumbnails: thumbnailMap(videoThumbnails(video, call.baseUrl)),
        position,
      },
      contentDetails: { videoId: video.id, videoPublishedAt: apiTime(video.publishedAt) },
    }),
  };
}
