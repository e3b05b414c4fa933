import { CancellationScope, setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import type { SpeechOrder } from '../../activities/prepared-audio.ts';
import type { PreparedSpeech } from '../../activities/speaker-labels.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { MEMO_SPEECH, type SpeechProgress } from '../../contract/job-input.ts';
import type { Thousandths } from '../../contract/money.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import { records, speechSteps, windowActivities } from '../activity-proxies.ts';
import { isUnclaimed, upstreamFailure } from '../lifecycle/job-outcome.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { whileJobRuns } from '../lifecycle/while-waiting.ts';

/** Ten hours of audio have 120 windows. If all were scheduled at once, a short recording would wait for them. */
const MAX_AT_ONCE = 8;
/** The workers with the engine may only be busy, so each wait for them is twice as long as the one before. */
const FIRST_CLAIM_MINUTES = 30;
const MAX_CLAIM_MINUTES = 24 * 60;

/** The transcript, with speakers, of the audio of another record. */
export function speakerLabels(input: SpeakerLabelsJob) {
  const { recordId, mediaId } = input;
  return runJob(input, async () => {
    const charge = await priceOf(input);
    if (charge === undefined) return { charge: 0 };
    const { awaits: _awaits, ...parameters } = input.parameters;
    const order = { recordId, ...parameters };
    try {
      for (let minutes = FIRST_CLAIM_MINUTES; ; minutes = Math.min(minutes * 2, MAX_CLAIM_MINUTES)) {
        showProgress({ stage: 'preparing' });
        const { prepareSpeech } = speechSteps(`Find speech in the audio of ${mediaId}`);
        const prepared = await prepareSpeech(order);
        const result = await transcribe(order, prepared, { mediaId, minutes });
        // The engine may be gone. The next attempt uses that of the worker that prepares it; finished windows of the same engine are kept.
        if (result !== undefined) return { charge, ...result };
      }
    } finally {
      // Hours of audio are gigabytes, so they are removed after a failure or a cancellation, too.
      await CancellationScope.nonCancellable(() => records.clearSpeech(recordId));
    }
  });
}

/**
 * Waits for audio that is not there yet, which is a job of its own, so that all who need it share it. Only then the price is known.
 *
 * @returns undefined for media without sound
 * @throws the failure of the audio
 */
async function priceOf({ recordId, price, parameters }: SpeakerLabelsJob): Promise<Thousandths | undefined> {
  const { audioId, awaits } = parameters;
  if (awaits === undefined) return price;
  const isOwn = awaits.price !== undefined;
  const job = { subjectId: awaits.subjectId, recordId: audioId, reason: 'The audio is being downloaded.', isOwn };
  const audio = await whileJobRuns(job, (activities) => activities.awaitAudio({ recordId, audioId }));
  if (audio.failure !== undefined) throw upstreamFailure(audio.failure);
  return audio.price;
}

/** @returns undefined if a task was unclaimed: no worker with the engine took it up in time */
async function transcribe(
  job: SpeechOrder,
  { windows, ...audio }: PreparedSpeech,
  { mediaId, minutes }: { readonly mediaId: string; readonly minutes: number },
): Promise<JobResult | undefined> {
  const { engine, engineKey } = audio;
  const claim = { engineKey, minutes };
  let done = 0;
  let unclaimed = 0;
  showProgress({ stage: 'transcribing', done, windows });
  await forEachConcurrently(windows, async (index) => {
    // The running windows continue, so that their work is not lost.
    if (unclaimed > 0) return;
    const { transcribeWindow } = windowActivities(`Transcribe window ${index + 1} of ${windows}`, claim);
    const window = transcribeWindow({ ...job, number: index + 1, engine, engineKey });
    if ((await unlessUnclaimed(window)) === undefined) {
      unclaimed += 1;
    } else {
      done += 1;
      showProgress({ stage: 'transcribing', done, windows });
    }
  });
  if (unclaimed > 0) return undefined;

  showProgress({ stage: 'diarizing' });
  const { labelSpeakers } = speechSteps(`Tell the speakers of ${mediaId} apart`, claim);
  return unlessUnclaimed(labelSpeakers({ ...job, ...audio, windows }));
}

async function unlessUnclaimed<Result>(activity: Promise<Result>): Promise<Result | undefined> {
  try {
    return await activity;
  } catch (error) {
    if (!isUnclaimed(error)) throw error;
    return undefined;
  }
}

/** @throws the first error, after the other pieces of work were cancelled and have ended */
function forEachConcurrently(count: number, work: (index: number) => Promise<void>): Promise<void> {
  return CancellationScope.cancellable(async () => {
    const scope = CancellationScope.current();
    const indices = Array(count).keys();
    const errors: unknown[] = [];
    const lane = async (): Promise<void> => {
      for (const index of indices) {
        try {
          await work(index);
        } catch (error) {
          errors.push(error);
          scope.cancel();
        }
        if (errors.length > 0) return;
      }
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, lane));
    if (errors.length > 0) throw errors[0];
  });
}

const STAGES = {
  preparing: 'Preparing the audio and looking for speech in it.',
  transcribing: 'Transcribing windows of the audio.',
  diarizing: 'Telling the speakers apart.',
} as const;

/** Shows the progress in the memo, which the API reads, and in the Web UI. */
function showProgress(progress: SpeechProgress): void {
  upsertMemo({ [MEMO_SPEECH]: progress });
  const counts = progress.stage === 'transcribing' ? ` ${progress.done} of ${progress.windows} are done.` : '';
  setCurrentDetails(STAGES[progress.stage] + counts);
}
