import { ApiError } from '../../contract/http/api-error.ts';
import { SAMPLE } from '../../contract/kinds/sample.ts';
import type { EntryFilter } from '../../contract/lists/entry-filter.ts';
import { requestFor, type EachEntry } from '../../contract/lists/entry-request.ts';
import { postKinds, videoKinds, type EntryKind, type ListReference } from '../../contract/lists/list-entry.ts';
import { channelPathOf, channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { postReferenceOf, postUrlOf, profileReferenceOf } from '../../contract/urls/imgnet-urls.ts';
import { playlistIdOf, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import { optional } from '../../runtime/optional.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { PlanDeps } from '../service-deps.ts';
import { itemOf } from './batch-items.ts';
import { collectionPriceOf } from './collect-profile.ts';
import type { ListDeps } from './imgnet-list.ts';
import { pageOf } from './media.ts';

const NO_LIST =
  'must be a list: a playlist or channel of the video platform, a profile of the photo platform, or a page of another site that lists';
const OPERATIONS: Readonly<Partial<Record<ListReference['kind'], readonly EachEntry['operation'][]>>> = {
  page: ['requestMedia'],
  profile: ['requestMedia', 'requestImgnetContent', 'requestImgnetAudio'],
};
const VIDEO_OPERATIONS = ['requestAudio', 'requestVideo', 'requestMedia', 'requestTranscript'] as const;

interface ListRequest {
  readonly from: string;
  readonly each: EachEntry;
  readonly filter?: EntryFilter | undefined;
}

/**
 * @returns the list that a request names, the price of one entry, and that of the list of a profile; throws ApiError for what is
 *   no list or cannot be fetched
 */
export async function sourceOf(deps: ListDeps, { from: url, each, filter = {} as EntryFilter }: ListRequest) {
  const list = listOf(deps, url);
  const isProfile = list.kind === 'profile';
  const operations = OPERATIONS[list.kind] ?? VIDEO_OPERATIONS;
  if (!operations.includes(each.operation)) {
    throw invalidField('each.operation', `must be ${operations.join(' or ')} for such a list`);
  }
  const kinds: readonly EntryKind[] = isProfile ? postKinds : videoKinds;
  if (filter.kinds?.every((kind) => kinds.includes(kind)) === false) {
    throw invalidField('filter.kinds', `must be of ${kinds.join(', ')} for such a list`);
  }
  const video = deps.platforms.vidnetVideoUrl.replace('{id}', SAMPLE.videoId);
  const post = postUrlOf({ shortcode: SAMPLE.shortcode, kind: 'post' });
  const page = list.kind === 'page' ? list.url : isProfile ? post : video;
  const { price } = await itemOf(deps, requestFor(each, { id: SAMPLE.videoId, url: page }));
  const collection = isProfile ? await collectionPriceOf(deps, list.account) : undefined;
  return { source: { url, list, each, filter }, price, collection };
}

function listOf(deps: PlanDeps, url: string): ListReference {
  const { vidnetHosts, imgnetHosts } = deps.platforms;
  const id = playlistIdOf(url, vidnetHosts);
  if (id !== undefined) return { kind: 'playlist', id };
  if (videoIdOf(url, vidnetHosts) !== undefined) throw invalidField('from', `${NO_LIST}; this is a video`);
  const channel = channelReferenceOf(url, vidnetHosts);
  if (channel !== undefined) return { kind: 'channel', path: channelPathOf(channel) };
  const account = url.includes('/') ? profileReferenceOf(url, imgnetHosts) : undefined;
  if (account !== undefined) return { kind: 'profile', account };
  if (postReferenceOf(url, imgnetHosts) !== undefined) throw invalidField('from', `${NO_LIST}; this is a post`);
  try {
    const page = pageOf(deps, url);
    return { kind: 'page', url: page.url, ...optional('site', page.site) };
  } catch (error) {
    const [detail] = error instanceof ApiError ? (error.extras.details ?? []) : [];
    throw detail === undefined ? error : invalidField('from', detail.message);
  }
}
