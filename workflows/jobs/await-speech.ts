import type { JobResult } from '../../contract/download-record.ts';
import type { TranscriptJob } from '../../contract/kinds/transcript-request.ts';
import { awaitingActivities } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';
import { whileJobRuns } from '../lifecycle/while-waiting.ts';

const REASON = 'What is spoken is being transcribed.';

/**
 * Transcribes what is spoken by the job of POST /api/speech, which all who need it share. If others cancel theirs, this job
 * starts its own.
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
    const spoken = await whileJobRuns({ subjectId, recordId: speechId, reason: REASON, isOwn }, (activities) =>
      activities.awaitSpeech({ recordId, speechId }),
    );
    if (spoken.state === 'ready') return spoken.result;
    if (isOwn || spoken.failure.code !== 'cancelled') throw upstreamFailure(spoken.failure);
  }
}
