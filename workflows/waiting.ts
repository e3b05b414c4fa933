import { setCurrentDetails, upsertMemo } from '@temporalio/workflow';
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
