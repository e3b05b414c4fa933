import type { PendingRecord } from './download-record.ts';

/** The workers of the previous release must know it, so that both releases may continue each other's jobs. */
export const JOB_VERSION = 1;
/** The newest version that the workers of this release know. The next release may start jobs in it. */
export const NEWEST_JOB_VERSION = 1;

export const PRIORITIES = ['interactive', 'normal', 'bulk'] as const;

/** What the request that started a job wants beside its result. */
export interface JobOrder {
  readonly priority?: (typeof PRIORITIES)[number] | undefined;
  /** ISO 8601 UTC. */
  readonly notBefore?: string | undefined;
  readonly keepDays?: number | undefined;
}

/** The input of every job's workflow. It passes through Temporal, so it contains references only. */
export interface JobInput extends Omit<PendingRecord, 'id' | 'status' | 'keepDays' | 'interest' | 'providerCalls'> {
  /** {@link JOB_VERSION} of the release that started the job. */
  readonly version: number;
  readonly recordId: string;
  /** The batch that started the job. */
  readonly batchId?: string;
  readonly order?: JobOrder | undefined;
}

/** The memo field with the whole input, from which a request that joins the running job can write its record. */
export const MEMO_JOB = 'job';

/** The record of a job that has not ended. The API and the first step of the workflow write the same one. */
export function pendingRecordOf({
  recordId: id,
  version,
  batchId,
  order,
  ...facts
}: Omit<JobInput, 'version'> & Partial<Pick<JobInput, 'version'>>): PendingRecord {
  return { id, ...facts, keepDays: order?.keepDays, status: 'pending' };
}

export const progressStages = [
  'waiting',
  'fetching',
  'listing',
  'converting',
  'verifying',
  'publishing',
  'preparing',
  'detecting_speech',
  'transcribing',
  'diarizing',
] as const;

/** The memo field with the {@link SpeechProgress} of speaker labels. */
export const MEMO_SPEECH = 'speech';
/** The memo field with the reason why the job waits for another one, and which; absent while it does not wait. */
export const MEMO_WAITING = 'waiting';

/** The progress over all windows of the audio, which are transcribed concurrently and have a heartbeat each. */
export type SpeechProgress =
  | { readonly stage: 'preparing' | 'diarizing' }
  | { readonly stage: 'transcribing'; readonly done: number; readonly windows: number };

export interface ActivityProgress {
  readonly stage: (typeof progressStages)[number];
  readonly percent?: number;
  readonly bytes?: number;
  readonly totalBytes?: number;
  readonly items?: number;
  readonly totalItems?: number;
}
