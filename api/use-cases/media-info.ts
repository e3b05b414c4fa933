import type { MediaInfoPage, MediaInfoParameters, MediaInfoRequest } from '../../contract/kinds/media-info.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { channelPathOf, channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { playlistIdOf, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { digestOf, pageOf } from './media.ts';
import { requesting } from './request-job.ts';

/** POST /api/media/info: what a page says about its media, of which none are fetched. */
export const requestMediaInfo = requesting((deps, { url }: MediaInfoRequest) => {
  const { mediaId, ...parameters } = infoPageOf(deps, url);
  return {
    ...{ type: 'media_info' as const, mediaId, subjectId: subjectIdOf('media_info', mediaId), parameters },
    price: deps.rendering.prices.mediaInfo,
  };
});

type InfoPage = MediaInfoParameters & { readonly mediaId: string };

/**
 * @returns one page for all links of a video, playlist or channel; MEDIA_SITES does not limit those of the video platform
 * @throws ApiError for any other page that is not fetched
 */
export function infoPageOf(deps: Pick<ServiceDeps, 'platforms'>, given: string): InfoPage {
  const { vidnetHosts, vidnetVideoUrl, vidnetChannelUrl } = deps.platforms;
  const videoId = videoIdOf(given, vidnetHosts);
  if (videoId !== undefined) {
    return { mediaId: videoId, page: { url: vidnetVideoUrl.replace('{id}', videoId), subject: 'video' } };
  }
  const listId = playlistIdOf(given, vidnetHosts);
  if (listId !== undefined) return named(new URL(`/playlist?list=${listId}`, vidnetVideoUrl).href, 'page');
  const channel = channelReferenceOf(given, vidnetHosts);
  if (channel !== undefined) {
    return named(encodeURI(vidnetChannelUrl.replace('{path}', channelPathOf(channel))), 'channel');
  }
  const { url, site } = pageOf(deps, given);
  return { ...named(url, 'page'), site };
}

function named(url: string, subject: MediaInfoPage['subject']): InfoPage {
  return { mediaId: digestOf(url), page: { url, subject } };
}
