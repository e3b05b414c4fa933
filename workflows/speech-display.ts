import { setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import { MEMO_SPEECH, type SpeechProgress } from '../contract/jobs.ts';

const SENTENCES = {
  preparing: 'Preparing the audio and looking for speech in it.',
  transcribing: 'Transcribing windows of the audio.',
  diarizing: 'Telling the speakers apart.',
} as const;

/** @returns a function that shows how far a transcription is, in its memo (read by the api) and in the Web UI */
export function createSpeechDisplay(): (progress: SpeechProgress) => void {
  return (progress) => {
    upsertMemo({ [MEMO_SPEECH]: progress });
    const counts =
      progress.stage === 'transcribing' ? ` ${String(progress.done)} of ${String(progress.windows)} are done.` : '';
    setCurrentDetails(SENTENCES[progress.stage] + counts);
  };
}
