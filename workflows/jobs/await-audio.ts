import { CancellationScope, setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import { MEMO_WAITING } from '../../contract/job-input.ts';
import type { Thousandths } from '../../contract/money.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import { awaitingActivities, records } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';

/** The price is that of the whole audio, if it was not known when the job was started. */
type FoundAudio =
  { readonly state: 'ready'; readonly fileName: string; readonly price?: Thousandths } | { readonly state: 'silent' };

const WAITING = 'The audio is being downloaded.';

/**
 * Waits for the audio, which is a job of its own, so that all who need it share it. If this job is cancelled, it cancels the
 * audio that was started for it, unless others wait for that.
 *
 * @throws the failure of the audio
 */
export async function awaitAudio({ recordId, parameters }: SpeakerLabelsJob): Promise<FoundAudio> {
  const { audioId, fileName, awaits } = parameters;
  if (awaits === undefined) return { state: 'ready', fileName: fileName ?? '' };
  const { subjectId, price: ownPrice } = awaits;
  upsertMemo({ [MEMO_WAITING]: { reason: WAITING, job: { subjectId, recordId: audioId } } });
  setCurrentDetails(`${WAITING} Its job is ${subjectId}.`);
  try {
    const audio = await awaitingActivities(`Wait for the job ${subjectId}`).awaitAudio({ recordId, audioId });
    if (audio.state === 'failed') throw upstreamFailure(audio.failure);
    return audio;
  } catch (error) {
    if (ownPrice !== undefined && CancellationScope.current().consideredCancelled) {
      await CancellationScope.nonCancellable(() => records.leaveAudio(audioId));
    }
    throw error;
  } finally {
    upsertMemo({ [MEMO_WAITING]: undefined });
  }
}
