import { JobError } from '../runtime/job-error.ts';
import { percentOf } from '../runtime/percent.ts';
import type { JobInput } from '../contract/jobs.ts';
import type { JobResult } from '../contract/records.ts';
import type { Probe } from '../media/probe.ts';
import type { FileStore } from '../store/files.ts';
import type { SpaceGuard } from '../store/free-space.ts';
import { withSourceCall, type RunningCall, type SourceCallDeps } from './source-call.ts';
import { withSpace } from './space.ts';

export interface AttemptDeps extends SourceCallDeps {
  readonly files: FileStore;
  readonly space: SpaceGuard;
}

export type FetchJob = Pick<JobInput, 'recordId' | 'mediaId'>;

/** A file that was made and verified, and is to be published. */
export interface MadeFile {
  readonly path: string;
  /** Name under which it is published. */
  readonly name: string;
  readonly durationSeconds: number;
}

/**
 * One attempt at a download: fetch and make a file in a private folder, and publish it at the end.
 *
 * Fetching, converting and verifying are one activity and not three: they share files on this machine's disk. A repeated
 * run starts from an empty folder and replaces the published file, so it may be repeated at will.
 */
export function runAttempt(
  deps: AttemptDeps,
  job: FetchJob,
  make: (attempt: RunningCall) => Promise<MadeFile>,
): Promise<JobResult> {
  return withSourceCall(deps, job.recordId, (call) =>
    withSpace(deps.space, call, async (attempt) => {
      const made = await make(attempt);
      attempt.report({ stage: 'publishing' });
      attempt.signal.throwIfAborted();
      const file = await deps.files.publish(made.path, { recordId: job.recordId, name: made.name }, attempt.signal);
      return { durationSeconds: made.durationSeconds, files: [file] };
    }),
  );
}

/** @returns a reporter of how much of a conversion is done */
export function conversionProgress(attempt: RunningCall, totalSeconds: number): (seconds: number) => void {
  return (seconds) => {
    const percent = totalSeconds > 0 ? { percent: percentOf(seconds / totalSeconds) } : {};
    attempt.report({ stage: 'converting', ...percent });
  };
}

/** The duration may differ from the stated one by 1 s or 1 %, whichever is more. @throws JobError `incomplete` */
export function verifyDuration(result: Probe, expectedSeconds: number): void {
  if (Math.abs(result.durationSeconds - expectedSeconds) > Math.max(1, expectedSeconds / 100)) {
    throw new JobError('incomplete', 'The video platform sent less or more than the whole recording.');
  }
}
