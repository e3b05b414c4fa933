import { failureFor, type Failure } from '../contract/failures.ts';
import { isSilent } from '../contract/kinds/sound.ts';
import { awaitedBy } from '../contract/kinds/awaited-audio.ts';
import { speakerLabelsPrice } from '../contract/kinds/speaker-labels.ts';
import type { RenderContext } from '../contract/kinds/kind.ts';
import { formatMoney, type Thousandths } from '../contract/money.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import type { PieceDeps } from './batches/open-piece.ts';
import { retryWhileJobRuns } from './retry-later.ts';

export interface AwaitedAudioDeps extends Pick<PieceDeps, 'cancelItem' | 'endIfGone'> {
  readonly records: RecordStore;
  readonly contents: ContentsStore;
  readonly rendering: Pick<RenderContext, 'prices'>;
}

export interface AwaitedAudio {
  readonly failure?: Failure;
  /** The price of the labels. Absent for media without sound, whose empty transcript is stored. */
  readonly price?: Thousandths;
}

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
      if (audio?.status !== 'success') return { failure: audio?.failure ?? failureFor('audioRemoved') };
      if (isSilent(audio)) {
        await contents.putFacts(recordId, { durationSeconds: 0, segments: [], speakerTurns: [] });
        return {};
      }
      const price = speakerLabelsPrice(rendering.prices, audio.durationSeconds ?? 0);
      if (await records.setPrice(recordId, price)) return { price };
      return { failure: failureFor('creditTooLow', { price: formatMoney(price) }) };
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
  { records, endIfGone }: Pick<AwaitedAudioDeps, 'records' | 'endIfGone'>,
  id: string,
  message: string,
) {
  const record = await records.get(id);
  const now = record?.status === 'pending' ? await endIfGone(record) : record;
  if (now?.status === 'pending') throw retryWhileJobRuns(message);
  return now;
}
