import type { BatchSource } from '../../contract/batches/batch-state.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { SAMPLE } from '../../contract/kinds/sample.ts';
import type { EntryFilter } from '../../contract/lists/entry-filter.ts';
import { requestFor, type EachEntry } from '../../contract/lists/entry-request.ts';
import type { ListReference } from '../../contract/lists/list-entry.ts';
import type { Thousandths } from '../../contract/money.ts';
import { channelPathOf, channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { postReferenceOf, profileReferenceOf } from '../../contract/urls/imgnet-urls.ts';
import { playlistIdOf, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import { optional } from '../../runtime/optional.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { PlanDeps } from '../service-deps.ts';
import { itemOf } from './batch-items.ts';
import { pageOf } from './media.ts';

const NO_LIST = 'must be a list: a playlist or channel of the video platform, or a page of another site that lists';

interface ListRequest {
  readonly from: string;
  readonly each: EachEntry;
  readonly filter?: EntryFilter | undefined;
}

/** @returns the list that a request names, and the price of one entry; throws ApiError for what is no list or cannot be fetched */
export async function sourceOf(
  deps: PlanDeps,
  { from: url, each, filter = {} as EntryFilter }: ListRequest,
): Promise<{ readonly source: Pick<BatchSource, 'url' | 'list' | 'each' | 'filter'>; readonly price: Thousandths }> {
  const list = listOf(deps, url);
  const isPage = list.kind === 'page';
  if (isPage && each.operation !== 'requestMedia') {
    throw invalidField('each.operation', 'must be requestMedia for the list of another site');
  }
  const page = isPage ? list.url : deps.platforms.vidnetVideoUrl.replace('{id}', SAMPLE.videoId);
  const { price } = await itemOf(deps, requestFor(each, { id: SAMPLE.videoId, url: page }));
  return { source: { url, list, each, filter }, price };
}

function listOf(deps: PlanDeps, url: string): ListReference {
  const { vidnetHosts, imgnetHosts } = deps.platforms;
  const id = playlistIdOf(url, vidnetHosts);
  if (id !== undefined) return { kind: 'playlist', id };
  if (videoIdOf(url, vidnetHosts) !== undefined) throw invalidField('from', `${NO_LIST}; this is a video`);
  const channel = channelReferenceOf(url, vidnetHosts);
  if (channel !== undefined) return { kind: 'channel', path: channelPathOf(channel) };
  if (url.includes('/') && (profileReferenceOf(url, imgnetHosts) ?? postReferenceOf(url, imgnetHosts)) !== undefined) {
    throw invalidField('from', `${NO_LIST}; the posts of a profile are listed by POST /api/imgnet/list`);
  }
  try {
    const page = pageOf(deps, url);
    return { kind: 'page', url: page.url, ...optional('site', page.site) };
  } catch (error) {
    const [detail] = error instanceof ApiError ? (error.extras.details ?? []) : [];
    throw detail === undefined ? error : invalidField('from', detail.message);
  }
}
