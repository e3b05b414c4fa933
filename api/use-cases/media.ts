import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/http/api-error.ts';
import {
  mediaPrice,
  normalizedPage,
  renderMediaResult,
  type MediaParameters,
  type MediaRequest,
} from '../../contract/kinds/media.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { VIDNET_HOST, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import { checkTarget } from '../../outbound/check-target.ts';
import type { PlanDeps, ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import { requesting, type JobPlan, type JobRequest } from './request-job.ts';

/** POST /api/downloads/media: the audio or video of a page of any site, once for all URLs of the same page. */
export const requestMedia = requesting({
  plan: (deps, request: MediaRequest & JobRequest): JobPlan => planMedia(deps, request),
  render: ({ rendering }, { record, progress }) => renderMediaResult(record, rendering, progress),
});

export function planMedia(
  deps: Pick<PlanDeps, 'platforms' | 'rendering'>,
  { url, format }: Pick<MediaRequest, 'url' | 'format'>,
): JobPlan {
  const page = pageOf(deps, url);
  const mediaId = pageIdOf(page.url);
  const parameters: MediaParameters = {
    page: { url: page.url, format },
    ...(page.site !== undefined && { site: page.site }),
  };
  return {
    workflow: 'media',
    type: 'media',
    mediaId,
    subjectId: subjectIdOf('media', format, mediaId),
    parameters,
    price: mediaPrice(deps.rendering.prices, format),
  };
}

export function pageIdOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32);
}

export function pageOf(
  { platforms }: Pick<ServiceDeps, 'platforms'>,
  given: string,
): { readonly url: string; readonly site: string | undefined } {
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
