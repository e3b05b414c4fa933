import { channelByIdAt, channelPathOf, channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { renderChannelResult, type ChannelRequest } from '../../contract/kinds/channel.ts';
import type { VidnetDownloadRequest } from '../../contract/http/download-schemas.ts';
import type { AudioResult } from '../../contract/kinds/audio.ts';
import type { VideoResult } from '../../contract/kinds/video.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { channelSubjectOf } from '../../store/records/channel-subjects.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import { renderRecord } from './list-downloads.ts';
import { requesting, type JobPlan, type JobRequest } from './request-job.ts';

/** The finished record of what is made of a video, or a new job. */
const downloading = <Result>(workflow: 'audio' | 'video', type: 'audio' | 'vidnet_video') =>
  requesting({
    plan: ({ rendering }, { vidnet_video_id: mediaId }: VidnetDownloadRequest & JobRequest): JobPlan => {
      const subjectId = subjectIdOf(type, mediaId);
      return { workflow, type, mediaId, subjectId, price: rendering.prices[workflow], isRefusedWhilePending: true };
    },
    // The record of a job of that type is such a record.
    render: (deps, job) => renderRecord(deps, job) as Result,
  });

/** POST /api/downloads/audio */
export const requestAudio = downloading<AudioResult>('audio', 'audio');
/** POST /api/downloads/video */
export const requestVideo = downloading<VideoResult>('video', 'vidnet_video');

/** POST /api/channel/profile: the profile of a channel with its list. */
export const requestChannel = requesting({
  plan: planChannel,
  render: ({ rendering }, { record, progress }) => renderChannelResult(record, rendering, progress),
});

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
