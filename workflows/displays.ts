import { setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import { MEMO_SPEECH, type SpeechProgress } from '../contract/jobs.ts';
import { MEMO_WAITING, type Waiting } from '../runtime/pacing.ts';

/** @returns a function that shows why a job waits, in its memo (read by the api) and in the Web UI; a change is an event */
export function createWaitingDisplay(): (waiting: Waiting | undefined) => void {
  let shown = '';
  return (waiting) => {
    const text = waiting === undefined ? '' : sentenceOf(waiting);
    if (text === shown) return;
    shown = text;
    upsertMemo({ [MEMO_WAITING]: waiting });
    setCurrentDetails(text);
  };
}

function sentenceOf({ reason, until }: Waiting): string {
  return until === undefined ? reason : `Waiting until ${until}: ${reason}`;
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
