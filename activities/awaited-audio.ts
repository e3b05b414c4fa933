import { failureFor, type Failure } from '../contract/failures.ts';
import { soundFileOf } from '../contract/kinds/sound.ts';
import { awaitedBy } from '../contract/kinds/awaited-audio.ts';
import { speakerLabelsPrice } from '../contract/kinds/speaker-labels.ts';
import type { RenderContext } from '../contract/kinds/kind.ts';
import { formatMoney, type Thousandths } from '../contract/money.ts';
import type { DownloadRecord } from '../contract/download-record.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { finishRecord } from '../store/records/finish-record.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import type { PieceDeps } from './batches/open-piece.ts';
import { retryWhileJobRuns } from './retry-later.ts';

export interface AwaitedAudioDeps {
  readonly records: RecordStore;
  readonly contents: ContentsStore;
  readonly rendering: Pick<RenderContext, 'prices'>;
  readonly isOpen: (workflowId: string) => Promise<boolean>;
  readonly cancelItem: PieceDeps['cancelItem'];
}

/** `silent`: the media has no sound, and the empty transcript is stored. */
export type AwaitedAudio =
  | { readonly state: 'ready'; readonly fileName: string; readonly price: Thousandths }
  | { readonly state: 'silent' }
  | { readonly state: 'failed'; readonly failure: Failure };

/** The audio for which a job of speaker labels waits. All activities are idempotent. */
export function createAwaitedAudioActivities(deps: AwaitedAudioDeps) {
  const { records, contents, rendering, cancelItem } = deps;
  return {
    /** Polls once whether the job of the audio has ended. Then the job of its labels gets the price that depends on its length. */
    awaitAudio: async ({ recordId, audioId }: { recordId: string; audioId: string }): Promise<AwaitedAudio> => {
      const labels = await records.get(recordId);
      // The audio that another request started must not be cancelled together with that.
      if (labels !== undefined && awaitedBy(labels)?.price === undefined) await records.noteInterest(audioId, 'shared');
      const audio = await endedRecord(deps, audioId, 'The audio is being downloaded.');
      if (audio === undefined) return { state: 'failed', failure: failureFor('audioRemoved') };
      if (audio.status === 'failed') return { state: 'failed', failure: audio.failure };
      const file = soundFileOf(audio);
      if (file === undefined) {
        await contents.putFacts(recordId, { durationSeconds: 0, segments: [], speakerTurns: [] });
        return { state: 'silent' };
      }
      const durationSeconds = audio.status === 'success' ? (audio.durationSeconds ?? 0) : 0;
      const price = speakerLabelsPrice(rendering.prices, durationSeconds);
      if (await records.setPrice(recordId, price)) return { state: 'ready', fileName: file.name, price };
      return { state: 'failed', failure: failureFor('creditTooLow', { price: formatMoney(price) }) };
    },

    /** Cancels the job that was started for a transcript unless others wait for it, or it has ended. */
    leaveAudio: async (audioId: string): Promise<void> => {
      if ((await records.noteInterest(audioId, 'abandoned')) !== 'abandoned') return;
      const audio = await records.get(audioId);
      if (audio?.status === 'pending') await cancelItem(audio);
    },
  };
}

/** @throws ApplicationFailure with a retry delay and the message while the job of the record runs */
export async function endedRecord(
  { records, isOpen }: Pick<AwaitedAudioDeps, 'records' | 'isOpen'>,
  id: string,
  message: string,
): Promise<DownloadRecord | undefined> {
  const record = await records.get(id);
  if (record?.status !== 'pending') return record;
  if (await isOpen(record.subjectId)) throw retryWhileJobRuns(message);
  const outcome = { status: 'failed', failure: failureFor('stoppedByOperator') } as const;
  // The job may have ended its record meanwhile, which then stays as it is.
  return finishRecord(records, id, outcome);
}
