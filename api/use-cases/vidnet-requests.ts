import { channelAt, channelPathOf, channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { renderChannelResult, type ChannelRequest } from '../../contract/kinds/channel.ts';
import type { VidnetDownloadRequest } from '../../contract/http/download-schemas.ts';
import type { AudioResult } from '../../contract/kinds/audio.ts';
import type { VideoResult } from '../../contract/kinds/video.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { channelSubjectOf } from '../../store/records/channel-subjects.ts';
import type { PlanDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import { renderRecord } from './downloads.ts';
import { requesting, type JobPlan, type JobRequest } from './request-job.ts';

export function planDownload(
  { rendering }: Pick<PlanDeps, 'rendering'>,
  mediaId: string,
  { workflow, type }: { readonly workflow: 'audio' | 'video'; readonly type: 'audio' | 'vidnet_video' },
): JobPlan {
  return { workflow, type, mediaId, subjectId: subjectIdOf(type, mediaId), price: rendering.prices[workflow] };
}

const downloading = <Result>(workflow: 'audio' | 'video', type: 'audio' | 'vidnet_video') =>
  requesting({
    plan: (
      deps,
      { vidnet_video_id: mediaId, on_duplicate: duplicate }: VidnetDownloadRequest & JobRequest,
    ): JobPlan => ({
      ...planDownload(deps, mediaId, { workflow, type }),
      isRefusedWhilePending: duplicate !== 'join',
    }),
    // The type of the record determines the type of the result.
    render: (deps, job) => renderRecord(deps, job) as Result,
  });

export const requestAudio = downloading<AudioResult>('audio', 'audio');
export const requestVideo = downloading<VideoResult>('video', 'vidnet_video');

export const requestChannel = requesting({
  plan: (deps, request: ChannelRequest & JobRequest) => planChannel(deps, request),
  render: ({ rendering }, { record, progress }) => renderChannelResult(record, rendering, progress),
});

export async function planChannel(deps: PlanDeps, { url }: Pick<ChannelRequest, 'url'>): Promise<JobPlan> {
  const channel = channelReferenceOf(url, deps.platforms.vidnetHosts);
  if (channel === undefined) throw invalidField('url', NO_CHANNEL);
  const subjectId = await deps.records.canonicalOf(channelSubjectOf(channel));
  // If the ID of the channel is known, its name is not resolved again, because another channel may have it now.
  const known = channelAt(subjectId.slice(subjectIdOf('list', '').length));
  return {
    workflow: 'channel',
    type: 'list',
    mediaId: channelPathOf(channel),
    subjectId,
    parameters: { channel: known?.kind === 'id' ? known : channel },
    price: deps.rendering.prices.channel,
  };
}

const NO_CHANNEL =
  'must be a channel of the video platform: a URL with /@handle, /channel/ID, /c/NAME or /user/NAME, or a handle';
