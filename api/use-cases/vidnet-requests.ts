import { channelAt, channelPathOf, channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import type { ChannelRequest } from '../../contract/kinds/channel.ts';
import type { VidnetDownloadRequest } from '../../contract/http/download-schemas.ts';
import { kinds } from '../../contract/kinds/kinds.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { channelSubjectOf } from '../../store/records/channel-subjects.ts';
import type { PlanDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import { requesting, type JobPlan } from './request-job.ts';

type FileType = 'audio' | 'vidnet_video';

export function planDownload<Type extends FileType>(
  { rendering: { prices } }: Pick<PlanDeps, 'rendering'>,
  type: Type,
  mediaId: string,
): JobPlan<Type> {
  return { type, mediaId, subjectId: subjectIdOf(type, mediaId), price: prices[kinds[type].workflow] };
}

const downloading = <Type extends FileType>(type: Type) =>
  requesting((deps, { vidnet_video_id: mediaId, on_duplicate: duplicate }: VidnetDownloadRequest) => ({
    ...planDownload(deps, type, mediaId),
    isRefusedWhilePending: duplicate !== 'join',
  }));

export const requestAudio = downloading('audio');
export const requestVideo = downloading('vidnet_video');
export const requestChannel = requesting(planChannel);

export async function planChannel(deps: PlanDeps, { url }: Pick<ChannelRequest, 'url'>): Promise<JobPlan<'list'>> {
  const channel = channelReferenceOf(url, deps.platforms.vidnetHosts);
  if (channel === undefined) throw invalidField('url', NO_CHANNEL);
  const subjectId = await deps.records.canonicalOf(channelSubjectOf(channel));
  // If the ID of the channel is known, its name is not resolved again, because another channel may have it now.
  const known = channelAt(subjectId.slice(subjectIdOf('list', '').length));
  return {
    type: 'list',
    mediaId: channelPathOf(channel),
    subjectId,
    parameters: { channel: known?.kind === 'id' ? known : channel },
    price: deps.rendering.prices.channel,
  };
}

const NO_CHANNEL =
  'must be a channel of the video platform: a URL with /@handle, /channel/ID, /c/NAME or /user/NAME, or a handle';
