import { createHash } from 'node:crypto';
import { type Thumbnail, avatars, videoThumbnails } from '../thumbnails.ts';
import { type CatalogueChannel, type CatalogueVideo, UNPLAYABLE } from '../catalogue.ts';
import { type ApiCall, apiRefusal, pageOf } from './query.ts';
import { flatten } from '../comments.ts';

const MAX_RESULTS = { fallback: 5, max: 50 };

export function resource(kind: string, id: string): object {
  return { kind: `youtube#${kind}`, etag: createHash('sha256').update(`${kind}\0${id}`).digest('base64url'), id };
}

/** @param items undefined when nothing matches, as in the real API */
export function listResponse(
  kind: string,
  items: readonly object[] | undefined,
  { totalResults, ...tokens }: { readonly totalResults: number; readonly nextPageToken?: string | undefined },
): object {
  return { kind: `youtube#${kind}ListResponse`, ...tokens, pageInfo: { totalResults }, items };
}

export function thumbnailMap(thumbnails: readonly Thumbnail[]): object {
  return Object.fromEntries(thumbnails.map(({ id, url, width, height }) => [id, { url, width, height }]));
}

export function apiTime(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** ISO 8601 in whole seconds, such as PT1H2M3S; P0D when unknown. */
export function apiDuration(seconds: number | undefined): string {
  if (seconds === undefined) return 'P0D';
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'H'],
    [Math.floor((whole % 3600) / 60), 'M'],
    [whole % 60, 'S'],
  ] as const;
  const text = parts.map(([amount, unit]) => (amount === 0 ? '' : `${String(amount)}${unit}`)).join('');
  return `PT${text === '' ? '0S' : text}`;
}

/** channels.list by `id`, `forHandle` (with or without @) or `forUsername`. */
export function listChannels(call: ApiCall): object {
  const { query, library } = call;
  query.pageSize(MAX_RESULTS);
  const items = pathsOf(call).flatMap((path) => {
    const channel = library.channel(path);
    return channel === undefined || channel.case === 'removed' ? [] : [channelResource(channel, call)];
  });
  return listResponse('channel', items.length === 0 ? undefined : items, { totalResults: items.length });
}

function pathsOf({ query }: ApiCall): string[] {
  const handle = query.text('forHandle');
  if (handle !== undefined) return [`@${handle.replace(/^@/, '')}`];
  const name = query.text('forUsername');
  if (name !== undefined) return [`user/${name}`];
  return query.ids('id').map((id) => `channel/${id}`);
}

function channelResource(channel: CatalogueChannel, { query, library, baseUrl }: ApiCall): object {
  const { title, description, country, follower_count } = channel;
  return {
    ...resource('channel', channel.id),
    ...query.parts({
      snippet: {
        title,
        description,
        customUrl: channel.handle,
        publishedAt: channel.created_at && apiTime(channel.created_at),
        thumbnails: thumbnailMap(avatars(channel, baseUrl)),
        country,
      },
      contentDetails: { relatedPlaylists: { uploads: `UU${channel.id.slice(2)}` } },
      statistics: {
        viewCount: String(channel.view_count),
        subscriberCount: follower_count?.toString(),
        hiddenSubscriberCount: follower_count === undefined,
        videoCount: String(library.uploads(channel).length),
      },
      brandingSettings: { channel: { country } },
    }),
  };
}

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
      contentDetails: { videoId: video.id, videoPublishedAt: apiTime(video.published_at) },
    }),
  };
}

const HD_LINES = 720;

/** videos.list by `id`, without private and removed videos. */
export function listVideos(call: ApiCall): object {
  const { query, library } = call;
  const items = query.ids('id').flatMap((id) => {
    const video = library.video(id);
    return video === undefined || ['private', 'removed'].includes(video.case) ? [] : [videoResource(video, call)];
  });
  return listResponse('video', items, { totalResults: items.length });
}

function videoResource(video: CatalogueVideo, { query, baseUrl }: ApiCall): object {
  return {
    ...resource('video', video.id),
    ...query.parts({
      snippet: {
        publishedAt: apiTime(video.published_at),
        title: video.title,
        description: video.description,
        thumbnails: thumbnailMap(videoThumbnails(video, baseUrl)),
        tags: video.tags.length === 0 ? undefined : video.tags,
        liveBroadcastContent: video.case === 'live' ? 'live' : video.case === 'upcoming' ? 'upcoming' : 'none',
      },
      contentDetails: contentDetails(video),
      statistics: {
        viewCount: String(video.view_count),
        likeCount: video.like_count?.toString(),
        commentCount: video.comments && String(flatten(video.comments).length),
      },
      status: { privacyStatus: 'public' },
    }),
  };
}

function contentDetails(video: CatalogueVideo): object {
  const allowed = UNPLAYABLE[video.case]?.availableCountries;
  const lines = Math.max(0, ...video.formats.map(({ facts }) => facts.height ?? 0));
  return {
    duration: apiDuration(video.durationSeconds),
    definition: lines >= HD_LINES ? 'hd' : 'sd',
    // The API reports only manual captions.
    caption: String(video.captions.some(({ kind }) => kind === 'manual')),
    regionRestriction: allowed && { allowed },
  };
}
