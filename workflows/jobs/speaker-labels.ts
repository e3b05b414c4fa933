import { CancellationScope } from '@temporalio/workflow';
import type { PreparedSpeech } from '../../activities/speaker-labels.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { records, speechActivities } from '../activity-proxies.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { showSpeech } from '../lifecycle/current-details.ts';
import { forEachConcurrently } from '../lifecycle/for-each-concurrently.ts';
import { isUntaken } from '../lifecycle/job-outcome.ts';

/**
 * Windows of one job that are under way or wait for a slot. Not all of them: ten hours of audio have 120, and a short
 * recording that comes later would wait for them all.
 */
const MAX_AT_ONCE = 8;
/** Whoever has the engine may only be busy: each time it is waited for twice as long. */
const FIRST_UNTAKEN_MINUTES = 30;
const MAX_UNTAKEN_MINUTES = 24 * 60;

/** Who says what in the audio of another record. */
export function speakerLabels(input: SpeakerLabelsJob): Promise<JobEnd> {
  const { recordId, mediaId, parameters } = input;
  const job = { recordId, ...parameters };
  return runJob(input, async () => {
    try {
      for (let minutes = FIRST_UNTAKEN_MINUTES; ; minutes = Math.min(minutes * 2, MAX_UNTAKEN_MINUTES)) {
        showSpeech({ stage: 'preparing' });
        const { prepareSpeech } = speechActivities('speechSteps', `Find speech in the audio of ${mediaId}`);
        const result = await hear(input, await prepareSpeech(job), minutes);
        // The engine may be in use no more: whoever prepares it now has one, and what the same one has heard is kept.
        if (result !== undefined) return result;
      }
    } finally {
      // Also after a failure or a cancellation: hours of audio are gigabytes, and nothing else looks for them.
      await CancellationScope.nonCancellable(() => records.clearSpeech(recordId));
    }
  });
}

/** @returns undefined when something was left lying, since nobody with the engine took it up */
async function hear(
  { recordId, mediaId, parameters }: SpeakerLabelsJob,
  { windows, ...audio }: PreparedSpeech,
  untakenMinutes: number,
): Promise<JobResult | undefined> {
  const job = { recordId, ...parameters };
  const { engine, engineKey } = audio;
  const by = engineKey === undefined ? {} : { engineKey, untakenMinutes };
  const lying = { isThere: false };
  /** A window that nobody takes stops no other one: what is being heard is not lost. */
  const unlessUntaken = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!isUntaken(error)) throw error;
      lying.isThere = true;
      return undefined;
    }
  };

  let done = 0;
  showSpeech({ stage: 'transcribing', done, windows });
  await forEachConcurrently(windows, MAX_AT_ONCE, async (index) => {
    if (lying.isThere) return;
    const { transcribeWindow } = speechActivities('speech', `Transcribe window ${index + 1} of ${windows}`, by);
    const order = { ...job, number: index + 1, engine, ...(engineKey === undefined ? {} : { engineKey }) };
    const heard = await unlessUntaken(() => transcribeWindow(order));
    if (heard === undefined) return;
    done += 1;
    showSpeech({ stage: 'transcribing', done, windows });
  });
  if (lying.isThere) return undefined;

  showSpeech({ stage: 'diarizing' });
  const { labelSpeakers } = speechActivities('speechSteps', `Tell the speakers of ${mediaId} apart`, by);
  return unlessUntaken(() => labelSpeakers({ ...job, ...audio, windows }));
}
