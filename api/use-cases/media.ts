import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/http/api-error.ts';
import { mediaPrice, normalizedPage, type MediaPage, type MediaParameters } from '../../contract/kinds/media.ts';
import { contradictionIn, optionsOf, type MediaOptions } from '../../contract/kinds/media-options.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { postReferenceOf, postUrlOf, type PostReference } from '../../contract/urls/imgnet-urls.ts';
import { VIDNET_HOST, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import { checkTarget } from '../../outbound/check-target.ts';
import type { PlanDeps, ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import { requireImgnet } from './imgnet-requests.ts';
import { requesting, type JobPlan } from './request-job.ts';

/** POST /api/downloads/media: the audio or video of a page of any site, or the files of a post, once for all URLs of it. */
export const requestMedia = requesting(planMedia);

export function planMedia(
  deps: Pick<PlanDeps, 'platforms' | 'rendering'>,
  request: Pick<MediaPage, 'url' | 'format'> & MediaOptions,
): JobPlan<'media'> {
  const { url, format } = request;
  const contradiction = contradictionIn(request);
  if (contradiction !== undefined) throw invalidField(...contradiction);
  const options = optionsOf(request);
  const post = postReferenceOf(url, deps.platforms.imgnetHosts);
  const page = { url, format, options };
  const work = post === undefined ? pageWork(deps, page) : postWork(deps, post, page);
  const { mediaId, ...parameters } = work;
  const optionsId = options === undefined ? [] : [digestOf(JSON.stringify(options))];
  return {
    ...{ type: 'media', mediaId, parameters },
    // Requests with equal options are one job.
    subjectId: subjectIdOf('media', format, mediaId, ...optionsId),
    price: mediaPrice(deps.rendering.prices, format),
  };
}

type Work = MediaParameters & Pick<JobPlan, 'mediaId'>;

function pageWork(deps: Pick<PlanDeps, 'platforms'>, { url, format, options }: MediaPage): Work {
  const page = pageOf(deps, url);
  const videoId = options?.sponsorblock && videoIdOf(url, deps.platforms.vidnetHosts);
  if (options?.sponsorblock !== undefined && videoId === undefined) {
    throw invalidField('sponsorblock', 'is only known of videos of the video platform');
  }
  return { mediaId: digestOf(page.url), page: { url: page.url, format, options, videoId }, site: page.site };
}

/** The platform describes a post and a reel with the same shortcode differently, so the kind is part of the subject. */
function postWork(deps: Pick<PlanDeps, 'platforms'>, post: PostReference, { format, options = {} }: MediaPage): Work {
  if (format !== 'video') {
    throw invalidField('format', 'must be video for a post or reel: POST /api/imgnet/audio fetches its sound');
  }
  const [option] = Object.keys(options);
  if (option !== undefined) throw invalidField(option, 'is not for posts and reels, whose files are kept as they are');
  requireImgnet(deps);
  const mediaId = digestOf(`imgnet/${post.kind}/${post.shortcode}`);
  return { mediaId, page: { url: postUrlOf(post), format }, post };
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

export function pageOf({ platforms }: Pick<ServiceDeps, 'platforms'>, given: string) {
  const { mediaSites, mediaAllowedNetworks, vidnetHosts, vidnetVideoUrl } = platforms;
  if (mediaSites === 'off') {
    throw new ApiError(
      'unavailable',
      'Pages of other sites are not fetched here: the operator has set MEDIA_SITES to off.',
    );
  }
  // All links of a video are one page.
  const videoId = given.includes('/') ? videoIdOf(given, vidnetHosts) : undefined;
  const page = videoId === undefined ? given : vidnetVideoUrl.replace('{id}', videoId);
  const verdict = checkTarget(page, mediaAllowedNetworks);
  if (!verdict.ok) throw invalidField('url', verdict.reason);
  const url = new URL(normalizedPage(verdict.url));
  if (mediaSites !== 'all' && !isOf(url.hostname, mediaSites)) {
    throw invalidField('url', `Pages of ${url.hostname} are not fetched here.`);
  }
  const isVidnet = vidnetHosts.includes(url.host) || VIDNET_HOST.test(url.hostname);
  return { url: url.href, site: isVidnet ? undefined : url.host.replace(/^www\./, '') };
}

function isOf(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
}
