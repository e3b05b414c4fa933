import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import { renderSpeakerLabels, speakerLabelsPrice, type SpeechResult } from '../../contract/kinds/speaker-labels.ts';
import { mayHaveSound } from '../../contract/kinds/sound.ts';
import type { SpeechRequest } from '../../contract/kinds/speech-request.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import { channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { noPostReason, postReferenceOf } from '../../contract/urls/imgnet-urls.ts';
import { playlistIdOf, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { UseCase } from '../operations/operation.ts';
import { reusable } from './admission.ts';
import { insufficientCredit } from './credit.ts';
import { answerJob, currentJob, recordOf, type OneDownload } from './current-job.ts';
import { planImgnetAudio } from './imgnet-requests.ts';
import { labelledAudio, refuseUnknownLanguage, requestingLabels, type FoundAudio } from './labels-requests.ts';
import { planMedia } from './media.ts';
import { webhookOf, type JobPlan, type JobRequest } from './request-job.ts';
import { startOrJoin } from './start-or-join.ts';
import { planDownload } from './vidnet-requests.ts';

type SpeechCase<Input> = UseCase<Input, Streamable<SpeechResult>>;
type RequestedSpeech = SpeechRequest & JobRequest;

const requestLabels = requestingLabels(({ rendering }, { record, progress }) =>
  renderSpeakerLabels(record, rendering, progress),
);

/**
 * POST /api/speech: the transcript with speakers of a page, a video or a download. Its job is that of the speaker labels, which
 * waits for the audio; the audio is a job of its own, so that it is fetched once for all who need it.
 */
export const requestSpeech: SpeechCase<RequestedSpeech> = async (deps, caller, request) => {
  webhookOf(deps, request);
  const { download_id: id, language } = request;
  if (id !== undefined) return requestLabels(deps, caller, { ...request, found: await keptSound(deps, caller, id) });
  const plan = audioOf(deps, request);
  // It is refused before the audio is fetched.
  if (language !== undefined) await refuseUnknownLanguage(deps, language, () => isNeeded(deps, plan));
  if (await isNeeded(deps, plan)) await requireCredit(deps, caller, plan);
  const { how, record } = await startOrJoin(deps, caller, { ...plan, isForSpeech: true, webhookUrl: undefined });
  const isOwn = how === 'started';
  try {
    const found = await foundAudio(deps, record, { ...request, startedFor: isOwn ? plan.price : undefined });
    return await requestLabels(deps, caller, { ...request, found });
  } catch (error) {
    if (isOwn) await abandon(deps, record);
    throw error;
  }
};

/** GET /api/speech/{downloadId}: the current state of such a job. It starts nothing and is free. */
export const getSpeech: SpeechCase<OneDownload> = async (deps, caller, { download_id: id, waitMs }) => {
  const record = await recordOf(deps, caller, id);
  if (record?.type !== 'speaker_labels') throw new ApiError('not_found', 'There is no transcript with this id.');
  const job = await currentJob(deps, record, waitMs);
  return answerJob(deps, job, ({ rendering }) => renderSpeakerLabels(job.record, rendering, job.progress));
};

async function keptSound(deps: ServiceDeps, caller: LimitedCaller, id: string): Promise<FoundAudio> {
  const record = await recordOf(deps, caller, id);
  if (record === undefined) {
    const message = 'There is no download with this id.';
    throw new ApiError('not_found', message, { details: [{ path: 'download_id', message }] });
  }
  const silent = invalidField('download_id', 'The download has no sound.');
  if (!mayHaveSound(record)) throw silent;
  const found = await labelledAudio(deps, record, 0);
  if (found.kind === 'silent') throw silent;
  return found;
}

/** @returns the job that fetches the audio of a page or video; throws ApiError `invalid_input` for any other URL */
function audioOf(deps: ServiceDeps, { url = '', vidnet_video_id: id }: RequestedSpeech): JobPlan {
  const { vidnetHosts, imgnetHosts } = deps.platforms;
  const videoId = id ?? (url.includes('/') ? videoIdOf(url, vidnetHosts) : undefined);
  if (videoId !== undefined) return planDownload(deps, videoId, { workflow: 'audio', type: 'audio' });
  if (postReferenceOf(url, imgnetHosts) !== undefined) return planImgnetAudio(deps, { url });
  const isList = playlistIdOf(url, vidnetHosts) !== undefined || channelReferenceOf(url, vidnetHosts) !== undefined;
  const reason = isList ? 'is a list of videos: request one of them by its own URL' : noPostReason(url, imgnetHosts);
  if (reason !== undefined) throw invalidField('url', reason);
  return planMedia(deps, { url, format: 'audio' });
}

async function isNeeded(deps: ServiceDeps, { subjectId }: JobPlan): Promise<boolean> {
  const { latest, success } = await deps.records.standingOf(subjectId);
  return latest?.status !== 'pending' && (await reusable(deps, success)) === undefined;
}

/** Refuses a request for which the credit does not suffice before its audio is started. One minute is the least price. */
async function requireCredit(deps: ServiceDeps, caller: Caller, plan: JobPlan): Promise<void> {
  if (caller.kind !== 'key') return;
  const price = plan.price + speakerLabelsPrice(deps.rendering.prices, 60);
  const account = await deps.accounts.get(caller.key.id);
  if (account?.isUnlimited === false && account.available < price) throw await insufficientCredit(deps, caller, price);
}

interface StartedAudio extends RequestedSpeech {
  readonly startedFor: number | undefined;
}

async function foundAudio(
  deps: ServiceDeps,
  record: DownloadRecord,
  { startedFor, url, vidnet_video_id: id }: StartedAudio,
): Promise<FoundAudio> {
  const found =
    record.status === 'pending' ? { kind: 'pending' as const, audio: record } : await labelledAudio(deps, record, 0);
  if (found.kind !== 'pending') return found;
  const source = url === undefined ? id !== undefined && { vidnet_video_id: id } : { url };
  return {
    ...found,
    ...(startedFor !== undefined && { startedFor }),
    ...(source !== false && { source }),
  };
}

/** Cancels an audio whose labels were refused, unless others wait for it. */
async function abandon({ records, jobs }: ServiceDeps, { id, subjectId }: DownloadRecord): Promise<void> {
  if ((await records.noteInterest(id, 'abandoned')) === 'abandoned') await jobs.cancel({ subjectId, recordId: id });
}
