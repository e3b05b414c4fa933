import { setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import { MEMO_SPEECH, MEMO_WAITING, type SpeechProgress } from '../../contract/job-input.ts';

/** Shows why a job waits for another job, in its memo (read by the API) and in the Web UI; undefined: it goes on. */
export function showWaiting(reason: string | undefined): void {
  upsertMemo({ [MEMO_WAITING]: reason === undefined ? undefined : { reason } });
  setCurrentDetails(reason ?? '');
}

const SPEECH_STAGES = {
  preparing: 'Preparing the audio and looking for speech in it.',
  transcribing: 'Transcribing windows of the audio.',
  diarizing: 'Telling the speakers apart.',
} as const;

/** Shows how far a transcription is, in its memo (read by the api) and in the Web UI. */
export function showSpeech(progress: SpeechProgress): void {
  upsertMemo({ [MEMO_SPEECH]: progress });
  const counts = progress.stage === 'transcribing' ? ` ${progress.done} of ${progress.windows} are done.` : '';
  setCurrentDetails(SPEECH_STAGES[progress.stage] + counts);
}
