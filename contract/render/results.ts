import { formatMoney } from '../money.ts';
import { MissingContentsError } from '../contents.ts';
import type { DownloadRecord, SuccessRecord } from '../records.ts';
import type { ChannelResult } from '../results/channels.ts';
import type { DownloadResult, ImgnetAudioResult } from '../results/downloads.ts';
import type { Progress } from '../results/fields.ts';
import type { ImgnetContentResult } from '../results/imgnet-content.ts';
import type { ImgnetListResult } from '../results/imgnet-list.ts';
import type { ImgnetProfileResult } from '../results/imgnet-profile.ts';
import type { LastResponse } from '../results/last-response.ts';
import type { SpeakerLabelsResult } from '../results/speaker-labels.ts';
import type { TranscriptResult } from '../results/transcripts.ts';
import type { Streamable } from '../streams.ts';
import { renderChannelProfile } from './channels.ts';
import type { RenderContext } from './context.ts';
import { renderDownload, renderImgnetAudio } from './downloads.ts';
import { renderImgnetContent, renderImgnetContentPending } from './imgnet-content.ts';
import { renderImgnetList } from './imgnet-list.ts';
import { renderImgnetProfile, renderImgnetProfilePending } from './imgnet-profile.ts';
import { renderFailed, renderVidnetFailed, renderVidnetPending } from './jobs.ts';
import { renderSpeakerLabels } from './speaker-labels.ts';
import { renderTranscript } from './transcripts.ts';

/** The answer of the operation that starts a job of each type. */
export interface ResultsByType {
  readonly audio: DownloadResult;
  readonly vidnet_video: DownloadResult;
  readonly captions: TranscriptResult;
  readonly list: ChannelResult;
  readonly imgnet_profile: ImgnetProfileResult;
  readonly imgnet_post: ImgnetContentResult;
  readonly imgnet_audio: ImgnetAudioResult;
  readonly imgnet_list_posts: ImgnetListResult;
  readonly imgnet_list_reels: ImgnetListResult;
  readonly speaker_labels: SpeakerLabelsResult;
}
export type RenderedType = keyof ResultsByType;
export type JobResultBody = Streamable<ResultsByType[RenderedType]>;

/** The JSON of a job in any state, the same for the endpoint that started it and for its webhook. */
export async function renderResult(
  record: DownloadRecord,
  context: RenderContext,
  progress?: Progress,
): Promise<JobResultBody> {
  switch (record.type) {
    case 'audio':
    case 'vidnet_video':
      return renderDownload(record, context, progress);
    case 'captions':
      return renderCaptionsResult(record, context, progress);
    case 'list':
      return renderChannelResult(record, context, progress);
    case 'imgnet_profile':
      return renderImgnetProfileResult(record, context, { progress });
    case 'imgnet_list_posts':
      return renderImgnetList({ posts: { record, progress } }, context.contents);
    case 'imgnet_list_reels':
      return renderImgnetList({ reels: { record, progress } }, context.contents);
    case 'imgnet_post':
      return renderImgnetContentResult(record, context, { progress });
    case 'imgnet_audio':
      return renderImgnetAudioResult(record, context, progress);
    case 'speaker_labels':
      return renderSpeakerLabels(record, context, progress);
  }
}

export async function renderCaptionsResult(
  record: DownloadRecord,
  { contents }: RenderContext,
  progress?: Progress,
): Promise<Streamable<TranscriptResult>> {
  if (record.status === 'pending') return renderVidnetPending(record, 'The transcript is being fetched.', progress);
  if (record.status === 'failed') return renderVidnetFailed(record);
  return renderTranscript(record, present(await contents.facts<'captions'>(record.id), record), contents);
}

export async function renderChannelResult(
  record: DownloadRecord,
  { contents }: RenderContext,
  progress?: Progress,
): Promise<Streamable<ChannelResult>> {
  if (record.status === 'pending') return renderVidnetPending(record, 'The channel is being fetched.', progress);
  if (record.status === 'failed') return renderVidnetFailed(record);
  const facts = await contents.facts<'list'>(record.contentsOf ?? record.id);
  return renderChannelProfile(record, present(facts, record), contents);
}

export async function renderImgnetProfileResult(
  record: DownloadRecord,
  { contents, prices }: RenderContext,
  now: { readonly progress?: Progress | undefined; readonly lastResponse?: LastResponse | undefined },
): Promise<ImgnetProfileResult> {
  if (record.status === 'pending') return renderImgnetProfilePending(record, prices, now);
  if (record.status === 'failed') return renderFailed(record);
  return renderImgnetProfile(record, present(await contents.facts<'imgnet_profile'>(record.id), record), prices);
}

export async function renderImgnetContentResult(
  record: DownloadRecord,
  { contents }: RenderContext,
  now: { readonly progress?: Progress | undefined; readonly lastResponse?: LastResponse | undefined },
): Promise<ImgnetContentResult> {
  if (record.status === 'pending') return renderImgnetContentPending(record, now);
  if (record.status === 'failed') return renderFailed(record);
  return renderImgnetContent(record, present(await contents.facts<'imgnet_post'>(record.id), record));
}

export function renderImgnetAudioResult(
  record: DownloadRecord,
  context: RenderContext,
  progress?: Progress,
): ImgnetAudioResult {
  if (record.status !== 'success' || record.files.length > 0) {
    return { data: renderImgnetAudio(record, context, progress) };
  }
  return {
    status: 'success',
    message: 'There is no audio: the post has photos only, or its videos are silent.',
    download_id: record.id,
    cost: formatMoney(record.charge),
    transcript_speaker_id: record.id,
    transcript_speaker_cost: formatMoney(0),
  };
}

function present<Facts>(facts: Facts | undefined, { id }: SuccessRecord): Facts {
  if (facts === undefined) throw new MissingContentsError(id);
  return facts;
}
