import { CancellationScope } from '@temporalio/workflow';
import type { SpeakerLabelsJob } from '../contract/kinds/speaker-labels.ts';
import { records, speechActivities } from './activities.ts';
import { retryUpstream } from './retry-upstream.ts';
import type { JobEnd } from './job-end.ts';
import { runJob } from './life-cycle.ts';
import { showSpeech } from './displays.ts';
import { forEachConcurrently } from './concurrently.ts';

/**
 * Windows of one job that are under way or wait for a slot. Not all of them: ten hours of audio have 120, and a short
 * recording that comes later would wait for them all.
 */
const MAX_AT_ONCE = 8;

/** Who says what in the audio of another record. */
export function speakerLabels(input: SpeakerLabelsJob): Promise<JobEnd> {
  const { recordId, mediaId, parameters } = input;
  const job = { recordId, ...parameters };
  return runJob(input, async (_useUpstream, { onUpstreamFailure, retryWhenDiskFull }) => {
    try {
      showSpeech({ stage: 'preparing' });
      const { prepareSpeech } = speechActivities('speechSteps', `Find speech in the audio of ${mediaId}`);
      const { windows, ...audio } = await retryWhenDiskFull(() => prepareSpeech(job));

      let done = 0;
      showSpeech({ stage: 'transcribing', done, windows });
      await forEachConcurrently(windows, MAX_AT_ONCE, async (index) => {
        const { transcribeWindow } = speechActivities('speech', `Transcribe window ${index + 1} of ${windows}`);
        const order = { ...job, number: index + 1, engine: audio.engine };
        await retryWhenDiskFull(() => retryUpstream(() => transcribeWindow(order), onUpstreamFailure));
        done += 1;
        showSpeech({ stage: 'transcribing', done, windows });
      });

      showSpeech({ stage: 'diarizing' });
      const { labelSpeakers } = speechActivities('speechSteps', `Tell the speakers of ${mediaId} apart`);
      return await labelSpeakers({ ...job, ...audio, windows });
    } finally {
      // Also after a failure or a cancellation: hours of audio are gigabytes, and nothing else looks for them.
      await CancellationScope.nonCancellable(() => records.clearSpeech(recordId));
    }
  });
}
