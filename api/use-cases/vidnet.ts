import { channelByIdAt, channelPathOf, channelReferenceOf } from '../../contract/channels.ts';
import { renderChannelResult, type ChannelRequest } from '../../contract/kinds/channel.ts';
import type { VidnetDownloadRequest } from '../../contract/downloads.ts';
import type { AudioResult } from '../../contract/kinds/audio.ts';
import type { VideoResult } from '../../contract/kinds/video.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import { channelSubjectOf } from '../../store/channel-subjects.ts';
import type { ServiceDeps } from '../deps.ts';
import { invalidField } from '../errors.ts';
import { renderRecord } from './downloads.ts';
import { requesting, type JobPlan, type JobRequest } from './request-job.ts';

type DownloadRequest = VidnetDownloadRequest & JobRequest;

/** POST /api/downloads/audio: the finished record of the video's audio, or a new job. */
export const requestAudio = requesting({
  plan: ({ rendering: { prices } }, request: DownloadRequest) =>
    planDownload(request, { workflow: 'audio', type: 'audio', price: prices.audio }),
  // The record of an audio job is an audio record.
  render: (deps, job) => renderRecord(deps, job) as AudioResult,
});

/** POST /api/downloads/video: the finished record of the video, or a new job. */
export const requestVideo = requesting({
  plan: ({ rendering: { prices } }, request: DownloadRequest) =>
    planDownload(request, { workflow: 'video', type: 'vidnet_video', price: prices.video }),
  render: (deps, job) => renderRecord(deps, job) as VideoResult,
});

/** POST /api/channel/profile: the profile of a channel with its list. */
export const requestChannel = requesting({
  plan: planChannel,
  render: ({ rendering }, { record, progress }) => renderChannelResult(record, rendering, progress),
});

function planDownload(
  { vidnet_video_id: mediaId }: DownloadRequest,
  download: Pick<JobPlan, 'workflow' | 'type' | 'price'>,
): JobPlan {
  return { ...download, mediaId, subjectId: subjectIdOf(download.type, mediaId), isRefusedWhilePending: true };
}

/** @throws ApiError `invalid_input` for what is no channel */
async function planChannel(deps: ServiceDeps, { url }: ChannelRequest & JobRequest): Promise<JobPlan> {
  const channel = channelReferenceOf(url, deps.platforms.vidnetHosts);
  if (channel === undefined) throw invalidField('url', NO_CHANNEL);
  const subjectId = await deps.records.canonicalOf(channelSubjectOf(channel));
  // A name that stands for an id is not asked for again under that id: it may have changed hands.
  const byId = channelByIdAt(subjectId.slice(subjectIdOf('list', '').length));
  return {
    workflow: 'channel',
    type: 'list',
    mediaId: channelPathOf(channel),
    subjectId,
    parameters: { channel: byId ?? channel },
    price: deps.rendering.prices.channel,
  };
}

const NO_CHANNEL =
  'must be a channel of the video platform: a URL with /@handle, /channel/ID, /c/NAME or /user/NAME, or a handle';
