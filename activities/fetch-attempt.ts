import { JobError } from '../contract/job-error.ts';
import type { ActivityProgress, JobInput } from '../contract/jobs.ts';
import type { JobResult } from '../contract/records.ts';
import type { Probe } from '../media/probe.ts';
import type { FileStore } from '../store/files.ts';
import type { WorkFolders } from '../store/work-folders.ts';
import { classifyFailures } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface AttemptDeps {
  readonly files: FileStore;
  readonly workFolders: WorkFolders;
}

export type FetchJob = Pick<JobInput, 'recordId' | 'mediaId'>;

/** What the body of an attempt works with. */
export interface Attempt {
  /** Private folder, removed when the attempt is over. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly report: (progress: ActivityProgress) => void;
}

/** A file that was made and verified, and is to be published. */
export interface MadeFile {
  readonly path: string;
  /** Name under which it is published. */
  readonly name: string;
  readonly durationSeconds: number;
}

/**
 * One attempt at a download: a private folder, a heartbeat, failures sorted, and the file published at the end.
 *
 * Fetching, converting and verifying are one activity and not three: they share files on this machine's disk. A repeated
 * run starts from an empty folder and replaces the published file, so it may be repeated at will.
 */
export function runAttempt(
  deps: AttemptDeps,
  job: FetchJob,
  make: (attempt: Attempt) => Promise<MadeFile>,
): Promise<JobResult> {
  return classifyFailures(() =>
    withHeartbeat(async (report, signal) => {
      const folder = await deps.workFolders.open(job.recordId);
      try {
        const made = await make({ folder: folder.path, signal, report });
        report({ stage: 'publishing' });
        signal.throwIfAborted();
        const file = await deps.files.publish(made.path, job.recordId, made.name);
        return { durationSeconds: made.durationSeconds, files: [file] };
      } finally {
        await folder.remove();
      }
    }),
  );
}

/** @returns a reporter of how much of a conversion is done */
export function conversionProgress(attempt: Attempt, totalSeconds: number): (seconds: number) => void {
  return (seconds) => {
    const percent = Math.min(100, Math.round((seconds / totalSeconds) * 1000) / 10);
    attempt.report({ stage: 'converting', ...(totalSeconds > 0 ? { percent } : {}) });
  };
}

/** The duration may differ from the stated one by 1 s or 1 %, whichever is more. @throws JobError `incomplete` */
export function verifyDuration(result: Probe, expectedSeconds: number): void {
  if (Math.abs(result.durationSeconds - expectedSeconds) > Math.max(1, expectedSeconds / 100)) {
    throw new JobError('incomplete', 'The video platform sent less or more than the whole recording.');
  }
}
