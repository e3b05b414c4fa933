import type { DownloadRecord, PublishedFile, RecordType } from '../download-record.ts';
import { formatMoney } from '../money.ts';
import type { PricesOf } from './kind.ts';
import { speakerLabelsPrice, type speakerLabels } from './speaker-labels.ts';

/** The types of records whose files can be transcribed. */
const SOUND_TYPES: ReadonlySet<RecordType> = new Set(['audio', 'imgnet_audio', 'vidnet_video', 'media', 'upload']);

export function mayHaveSound({ type }: Pick<DownloadRecord, 'type'>): boolean {
  return SOUND_TYPES.has(type);
}

/** The first file with sound of a finished download. */
export function soundFileOf(record: DownloadRecord): PublishedFile | undefined {
  return record.status === 'success' ? record.files.find(({ isSilence }) => isSilence !== true) : undefined;
}

/** Whether the media is known to have no sound, such as a post with photos only. */
export function isSilent(record: DownloadRecord): boolean {
  return record.status === 'success' && soundFileOf(record) === undefined;
}

/** The fields with which the speaker labels of a video are requested: null if it is known to have no sound. */
export function labelsOfVideo(record: DownloadRecord, prices: PricesOf<(typeof speakerLabels)['prices']>) {
  if (isSilent(record)) return { transcript_speaker_id: null, transcript_speaker_cost: null };
  return { transcript_speaker_id: record.id, transcript_speaker_cost: labelsCostOf(record, prices) };
}

export function labelsCostOf(audio: DownloadRecord, prices: PricesOf<(typeof speakerLabels)['prices']>): string | null {
  return audio.status === 'success' ? formatMoney(speakerLabelsPrice(prices, audio.durationSeconds ?? 0)) : null;
}
