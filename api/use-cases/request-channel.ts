import { channelByIdAt, channelPathOf, channelReferenceOf } from '../../contract/channels.ts';
import { ApiError } from '../../contract/errors.ts';
import { renderChannelResult, type ChannelRequest, type ChannelResult } from '../../contract/kinds/channel.ts';
import type { Streamable } from '../../contract/streams.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import { channelSubjectOf } from '../../store/channel-subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob, stateOf } from './answers.ts';
import { startOrJoin } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

/**
 * POST /api/channel/profile: the profile of a channel with its list, or a job for it. A job that runs is joined.
 *
 * @throws ApiError `invalid_input` for what is no channel, `webhook_target_forbidden`, `insufficient_credit`, `unavailable`
 */
export async function requestChannel(
  deps: ApiDeps,
  request: ChannelRequest,
  waitMs: number,
): Promise<Answer<Streamable<ChannelResult>>> {
  const channel = channelReferenceOf(request.url, deps.vidnetHosts);
  if (channel === undefined) throw new ApiError('invalid_input', `url: ${NO_CHANNEL}`, { details: [DETAIL] });
  const mediaId = channelPathOf(channel);
  const subjectId = await deps.records.canonicalOf(channelSubjectOf(channel));
  // A name that stands for an id is not asked for again under that id: it may have changed hands.
  const byId = channelByIdAt(subjectId.slice(subjectIdOf('list', '').length));
  const { record } = await startOrJoin(deps, {
    ...{ workflow: 'channel', type: 'list', mediaId, subjectId, parameters: { channel: byId ?? channel } },
    price: deps.rendering.prices.channel,
    ...webhookOf(deps, request),
  });
  const job = await currentJob(deps, record, waitMs);
  return { state: stateOf(job.record), body: await renderChannelResult(job.record, deps.rendering, job.progress) };
}

const NO_CHANNEL =
  'must be a channel of the video platform: a URL with /@handle, /channel/ID, /c/NAME or /user/NAME, or a handle';
const DETAIL = { path: 'url', message: NO_CHANNEL };
