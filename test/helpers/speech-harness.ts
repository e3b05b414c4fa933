import type { ClaimJob } from './workflow-run.ts';
import { JOB_VERSION } from '../../contract/job-input.ts';
import type { Client } from '@temporalio/client';
import { ulid } from 'ulid';
import { beforeEach, vi } from 'vitest';
import type { Activities } from '../../activities/create-activities.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import { speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { speakerLabels } from '../../workflows/jobs/speaker-labels.ts';
import { failureOf } from './failure-of.ts';
import { workflowBench } from './workflow-bench.ts';

/** Of the engine that the worker has. */
export const ENGINE_KEY = 'sherpa-12345678';
/** Three windows. */
export const PREPARED = { windows: 3, durationSeconds: 700, engine: 'builtin', engineKey: ENGINE_KEY };

export function aSpeakerLabelsJob(): SpeakerLabelsJob {
  const parameters = { audioId: ulid(), fileName: 'a.m4a', maxSpeakers: 3 };
  return {
    ...{
      version: JOB_VERSION,
      startedBy: 'anonymous',
      recordId: ulid(),
      type: 'speaker_labels',
      mediaId: 'dQw4w9WgXcQ',
      createdAt: '2026-11-21T09:30:00.123456Z',
    },
    ...{ subjectId: speakerLabelsSubjectOf(parameters), price: 6, parameters },
  };
}

/** The workflow of speaker labels with activities that a test prepares; three windows, all succeed by default. */
export function speechHarness(server: 'skipping' | 'real') {
  const bench = workflowBench(server);
  const speech = {
    prepareSpeech: vi.fn<Activities['speech']['prepareSpeech']>(),
    transcribeWindow: vi.fn<Activities['speech']['transcribeWindow']>(),
    labelSpeakers: vi.fn<Activities['speech']['labelSpeakers']>(),
  };
  const records = {
    claimJob: vi.fn<ClaimJob>(),
    finishJob: vi.fn<Activities['records']['finishJob']>(),
    clearSpeech: vi.fn<Activities['records']['clearSpeech']>(),
  };
  beforeEach(() => {
    vi.resetAllMocks();
    records.claimJob.mockResolvedValue('claimed');
    speech.prepareSpeech.mockResolvedValue(PREPARED);
    speech.transcribeWindow.mockResolvedValue({ words: 1, voices: 1 });
    speech.labelSpeakers.mockResolvedValue({ durationSeconds: 700 });
  });
  return {
    ...{ speech, records, nowMs: bench.nowMs },
    /** Starts the job, lets the body watch it, and waits for its end. @returns why it failed, undefined for a success */
    run: (job: SpeakerLabelsJob, body: (client: Client) => Promise<void> = () => Promise.resolve()): Promise<unknown> =>
      bench.withService({ activities: { records, speech }, engineKey: ENGINE_KEY }, async (client, taskQueue) => {
        const options = { workflowId: job.subjectId, taskQueue, args: [job] as [SpeakerLabelsJob] };
        const handle = await client.workflow.start(speakerLabels, options);
        await body(client);
        return failureOf(handle.result());
      }),
  };
}
