import type { CatalogueChannel } from '../catalogue.ts';
import { avatars, banner } from '../thumbnails.ts';
import { missingParameter } from './refusals.ts';
import type { ApiCall } from './call.ts';
import { apiTime, listResponse, resource, thumbnailMap } from './resources.ts';

const MAX_RESULTS = { fallback: 5, max: 50 };

/** channels.list by `id`, `forHandle` (with or without @) or `forUsername`. */
export function listChannels(call: ApiCall): object {
  const { query, library } = call;
  const resultsPerPage = query.maxResults(MAX_RESULTS);
  const paths = pathsOf(call);
  if (paths === undefined)
    throw missingParameter('No filter selected. Expected one of: forHandle, id, forUsername, managedByMe, mine', '');
  // Without a part it is refused, found or not.
  query.parts({});
  const items = paths.flatMap((path) => {
    const channel = library.channel(path);
    return channel === undefined || channel.case === 'removed' ? [] : [channelResource(channel, call)];
  });
  return listResponse('channel', items.length === 0 ? undefined : items, {
    totalResults: items.length,
    resultsPerPage: items.length === 0 ? resultsPerPage : Math.max(resultsPerPage, items.length),
  });
}

function pathsOf({ query }: ApiCall): string[] | undefined {
  const handle = query.text('forHandle');
  if (handle !== undefined) return [`@${handle.replace(/^@/, '')}`];
  const name = query.text('forUsername');
  if (name !== undefined) return [`user/${name}`];
  const ids = query.ids('id');
  return ids.length === 0 ? undefined : ids.map((id) => `channel/${id}`);
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
        ...(channel.createdAt === undefined ? {} : { publishedAt: apiTime(channel.createdAt) }),
        thumbnails: thumbnailMap(avatars(channel, baseUrl)),
        localized: { title, description },
        ...(country === undefined ? {} : { country }),
      },
      contentDetails: { relatedPlaylists: { likes: '', uploads: uploadsId(channel) } },
      statistics: {
        viewCount: String(channel.viewCount),
        ...(followerCount === undefined ? {} : { subscriberCount: String(followerCount) }),
        hiddenSubscriberCount: followerCount === undefined,
        videoCount: String(library.uploads(channel).length),
      },
      brandingSettings: {
        channel: { title, description, ...(country === undefined ? {} : { country }) },
        image: { bannerExternalUrl: banner(channel, baseUrl).url },
      },
    }),
  };
}

/** The playlist of a channel's uploads. */
export function uploadsId({ id }: CatalogueChannel): string {
  return `UU${id.slice(2)}`;
}
