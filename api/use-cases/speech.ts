import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { ResultOf } from '../../contract/kinds/kinds.ts';
import { speakerLabelsPrice } from '../../contract/kinds/speaker-labels.ts';
import { isSilent, mayHaveSound } from '../../contract/kinds/sound.ts';
import type { SpeechRequest } from '../../contract/kinds/speech-request.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { noPostReason, postReferenceOf } from '../../contract/urls/imgnet-urls.ts';
import { playlistIdOf, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import type { PlanDeps, SpeechDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { UseCase } from '../operations/operation.ts';
import { reusable } from './admission.ts';
import { requireCredit } from './credit.ts';
import { gettingTranscript, recordOf, renderJob, type RenderJob } from './current-job.ts';
import { planImgnetAudio } from './imgnet-requests.ts';
import { planMedia } from './media.ts';
import { answerRequest, orderOf, type JobPlan, type JobRequest } from './request-job.ts';
import { answerSilent, labelledAudio, refuseUnknownLanguage, startLabels, type LabelsOrder } from './speaker-labels.ts';
import { startOrJoin } from './start-or-join.ts';
import { assertWebhookTargets } from './subscribers.ts';
import { planDownload } from './vidnet-requests.ts';

/** POST /api/speech: the transcript with speakers of a page, a video or a download. */
export const requestSpeech: UseCase<SpeechRequest & JobRequest, ResultOf<'speaker_labels'>> = async (
  deps,
  caller,
  request,
) => {
  assertWebhookTargets(deps, request);
  const started = await startSpeech(deps, caller, { ...request, ...orderOf(request) });
  if (started.type !== 'speaker_labels') return answerSilent(started);
  return answerRequest(deps, {
    ...{ record: started, waitMs: request.waitMs },
    render: renderJob as RenderJob<ResultOf<'speaker_labels'>>,
  });
};

type SpeechSource = Partial<Pick<SpeechRequest, 'url' | 'vidnet_video_id' | 'download_id'>>;
type SpeechOrder = SpeechSource & LabelsOrder;

/**
 * Starts or joins the job of the speaker labels, which waits for the audio; the audio is a job of its own, so that it is fetched
 * once for all who need it.
 *
 * @returns the record of the labels, or that of media without sound
 */
export async function startSpeech(
  deps: SpeechDeps,
  caller: LimitedCaller,
  order: SpeechOrder,
): Promise<DownloadRecord> {
  const { download_id: id, url, vidnet_video_id, ...wanted } = order;
  if (id !== undefined) return startLabels(deps, caller, { ...wanted, audio: await keptSound(deps, caller, id) });
  const plan = audioOf(deps, order);
  const isNeeded = () => needsFetch(deps, plan);
  // It is refused before the audio is fetched.
  await refuseUnknownLanguage(deps, wanted.language, isNeeded);
  if (await isNeeded()) {
    const video = await videoWithSound(deps, plan);
    if (video !== undefined) return startLabels(deps, caller, { ...wanted, audio: video });
    await requireSpeechCredit(deps, caller, plan.price);
  }
  const { how, record } = await startOrJoin(deps, caller, { ...plan, endsWithStarter: true, order: order.order });
  const isOwn = how === 'started';
  const awaits = { source: { url, vidnet_video_id }, price: isOwn ? plan.price : undefined };
  try {
    const audio = record.status === 'pending' ? record : await labelledAudio(deps, record, 0);
    if (isSilent(audio)) return audio;
    return await startLabels(deps, caller, { ...wanted, audio, awaits });
  } catch (error) {
    if (isOwn) await abandon(deps, record);
    throw error;
  }
}

/** GET /api/speech/{downloadId}: the current state of such a job. It starts nothing and is free. */
export const getSpeech = gettingTranscript('speaker_labels');

async function keptSound(deps: SpeechDeps, caller: LimitedCaller, id: string): Promise<DownloadRecord> {
  const record = await recordOf(deps, caller, id);
  if (record === undefined)
    throw new ApiError('not_found', 'There is no download with this id.', { field: 'download_id' });
  const silent = invalidField('download_id', 'The download has no sound.');
  if (!mayHaveSound(record)) throw silent;
  const audio = await labelledAudio(deps, record, 0).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'audio_failed') throw error;
    throw new ApiError(error.code, error.message, { ...error.extras, field: 'download_id' });
  });
  if (isSilent(audio)) throw silent;
  return audio;
}

/** @returns the job that fetches the audio of a page or video; throws ApiError `invalid_input` for any other URL */
export function audioOf(deps: PlanDeps, { url = '', vidnet_video_id: id }: SpeechSource): JobPlan {
  const { vidnetHosts, imgnetHosts } = deps.platforms;
  const videoId = id ?? (url.includes('/') ? videoIdOf(url, vidnetHosts) : undefined);
  if (videoId !== undefined) return planDownload(deps, 'audio', videoId);
  if (postReferenceOf(url, imgnetHosts) !== undefined) return planImgnetAudio(deps, { url });
  const isList = playlistIdOf(url, vidnetHosts) !== undefined || channelReferenceOf(url, vidnetHosts) !== undefined;
  const reason = isList ? 'is a list of videos: request one of them by its own URL' : noPostReason(url, imgnetHosts);
  if (reason !== undefined) throw invalidField('url', reason);
  return planMedia(deps, { url, format: 'audio' });
}

export async function needsFetch(deps: SpeechDeps, { subjectId }: JobPlan): Promise<boolean> {
  const { latest, success } = await deps.records.standingOf(subjectId);
  return latest?.status !== 'pending' && (await reusable(deps, success)) === undefined;
}

/** @returns the kept video of the same page, whose sound needs no download; undefined without one */
async function videoWithSound(deps: SpeechDeps, { type, mediaId }: JobPlan): Promise<DownloadRecord | undefined> {
  if (type !== 'audio' && type !== 'media') return undefined;
  const subjectId = type === 'audio' ? subjectIdOf('vidnet_video', mediaId) : subjectIdOf('media', 'video', mediaId);
  const video = await reusable(deps, await deps.records.successOf(subjectId));
  return video === undefined || isSilent(video) ? undefined : video;
}

/** One minute is the least price of a transcript. */
export function requireSpeechCredit(deps: SpeechDeps, caller: Caller, audioPrice: number): Promise<void> {
  return requireCredit(deps, caller, audioPrice + speakerLabelsPrice(deps.rendering.prices, 60));
}

/**
 * Cancels an audio whose labels were refused, unless others wait for it. If Temporal is away, the next request for the audio
 * cancels it.
 */
async function abandon({ records, jobs, log }: SpeechDeps, { id, subjectId }: DownloadRecord): Promise<void> {
  if ((await records.noteInterest(id, 'abandoned')) !== 'abandoned') return;
  await jobs.cancel({ subjectId, recordId: id }).catch((err: unknown) => {
    log.warn({ err, downloadId: id }, 'an audio that is not needed could not be cancelled');
  });
}
