import type { CatalogueChannel } from '../catalogue.ts';
import { avatars } from '../thumbnails.ts';
import type { ApiCall } from './query.ts';
import { apiTime, listResponse, resource, thumbnailMap } from './resources.ts';

const MAX_RESULTS = { fallback: 5, max: 50 };

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
  const { title, description, country, followerCount } = channel;
  return {
    ...resource('channel', channel.id),
    ...query.parts({
      snippet: {
        title,
        description,
        customUrl: channel.handle,
        publishedAt: channel.createdAt && apiTime(channel.createdAt),
        thumbnails: thumbnailMap(avatars(channel, baseUrl)),
        country,
      },
      contentDetails: { relatedPlaylists: { uploads: `UU${channel.id.slice(2)}` } },
      statistics: {
        viewCount: String(channel.viewCount),
        subscriberCount: followerCount?.toString(),
        hiddenSubscriberCount: followerCount === undefined,
        videoCount: String(library.uploads(channel).length),
      },
      brandingSettings: { channel: { country } },
    }),
  };
}
