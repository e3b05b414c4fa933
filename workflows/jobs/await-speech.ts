import { CancellationScope, setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import { MEMO_WAITING } from '../../contract/job-input.ts';
import type { JobResult } from '../../contract/download-record.ts';
import type { TranscriptJob } from '../../contract/kinds/transcript-request.ts';
import { awaitingActivities, records } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';

const WAITING = 'What is spoken is being transcribed.';

/**
 * Transcribes what is spoken by the job of POST /api/speech, which all who need it share. If this job is cancelled, it cancels the
 * one that it started, unless others wait for that. If others cancel theirs, this job starts its own.
 *
 * @throws the failure of that job
 */
export async function awaitSpeech({ recordId, parameters }: TranscriptJob): Promise<JobResult> {
  for (;;) {
    const begun = await awaitingActivities('Start the transcription').beginSpeech(recordId);
    if (begun.state === 'failed') throw upstreamFailure(begun.failure);
    if (begun.state === 'ready') return begun.result;
    const { speechId, subjectId } = begun;
    const isOwn = speechId === parameters.speechId;
    upsertMemo({ [MEMO_WAITING]: { reason: WAITING, job: { subjectId, recordId: speechId } } });
    setCurrentDetails(`${WAITING} Its job is ${subjectId}.`);
    try {
      const spoken = await awaitingActivities(`Wait for the job ${subjectId}`).awaitSpeech({ recordId, speechId });
      if (spoken.state === 'ready') return spoken.result;
      if (isOwn || spoken.failure.code !== 'cancelled') throw upstreamFailure(spoken.failure);
    } catch (error) {
      if (isOwn && CancellationScope.current().consideredCancelled) {
        await CancellationScope.nonCancellable(() => records.leaveAudio(speechId));
      }
      throw error;
    } finally {
      upsertMemo({ [MEMO_WAITING]: undefined });
    }
  }
}
