import { MissingContentsError } from '../contents.ts';
import { chargeOf } from '../charges.ts';
import { formatMoney } from '../money.ts';
import type { DownloadRecord } from '../records.ts';
import type { Progress } from '../results/fields.ts';
import type { SpeakerLabelsResult } from '../results/speaker-labels.ts';
import type { Streamable } from '../streams.ts';
import { toMilliseconds } from '../times.ts';
import type { RenderContext } from './context.ts';
import { renderFailed } from './jobs.ts';

export const NO_SPEECH = 'No speech was found in the audio.';
/** BCP 47 for a language that is not known. */
const UNDETERMINED = 'und';

/** The JSON of a job for speaker labels in any state (specification, section 2.8). */
export async function renderSpeakerLabels(
  record: DownloadRecord,
  { contents }: RenderContext,
  progress?: Progress,
): Promise<Streamable<SpeakerLabelsResult>> {
  const subject = { transcript_speaker_id: audioIdOf(record), media_id: record.mediaId };
  if (record.status === 'failed') {
    return { ...renderFailed(record), ...subject, transcript_speaker_cost: formatMoney(chargeOf(record)) };
  }
  if (record.status === 'pending') {
    return {
      status: 'pending',
      message: 'Transcription in progress',
      ...subject,
      transcript_speaker_cost: formatMoney(record.price),
      download_id: record.id,
      ...(progress === undefined ? {} : { progress }),
    };
  }
  const labels = await contents.facts<'speaker_labels'>(record.id);
  if (labels === undefined) throw new MissingContentsError(record.id);
  const isSilent = labels.segments.count === 0;
  return {
    status: 'success',
    ...(isSilent ? { message: NO_SPEECH } : {}),
    ...subject,
    transcript_speaker_cost: formatMoney(record.charge),
    download_id: record.id,
    data: {
      transcriptsWithTimeStamps: labels.segments.map(({ text, start, duration, speaker }) => {
        return { text, start, duration, speaker };
      }),
      language: isSilent ? UNDETERMINED : (labels.language ?? UNDETERMINED),
      duration: isSilent ? 0 : toMilliseconds(labels.durationSeconds),
      ...(isSilent ? { message: NO_SPEECH } : {}),
      engine: labels.engine,
    },
  };
}

/** What callers know the job by: the audio, whose `transcript_speaker_id` they asked with. */
export function audioIdOf({ id, parameters }: DownloadRecord): string {
  return parameters !== undefined && 'audioId' in parameters ? parameters.audioId : id;
}

/** An audio job that found no audio: there is nothing to transcribe, and nothing to pay. */
export function renderNoAudio(audio: DownloadRecord): SpeakerLabelsResult {
  return {
    status: 'success',
    message: NO_SPEECH,
    transcript_speaker_id: audio.id,
    media_id: audio.mediaId,
    transcript_speaker_cost: formatMoney(0),
    data: { transcriptsWithTimeStamps: [], language: UNDETERMINED, duration: 0, message: NO_SPEECH },
  };
}

/** The audio is still being downloaded: nothing was started. */
export function renderAudioRequired(audio: DownloadRecord): SpeakerLabelsResult {
  return {
    status: 'pending',
    message: 'The audio download is in progress; it is required before the transcription.',
    transcript_speaker_id: audio.id,
  };
}
