import type { Thousandths } from './money.ts';
import type { PendingRecord, RecordType, Starter } from './download-record.ts';

/**
 * The version of the steps with which new jobs start. A release starts jobs only with steps that the workers of the previous
 * release know, so that both may run side by side and continue each other's jobs.
 */
export const JOB_VERSION = 1;
/** The newest steps that the workers of this release know. The next release may start jobs with them. */
export const NEWEST_JOB_VERSION = 1;

/** The input of every job's workflow. Small by design: only references travel through Temporal. */
export interface JobInput {
  /** {@link JOB_VERSION} of the release that started the job. */
  readonly version: number;
  /** ULID of the record that this job fills. */
  readonly recordId: string;
  readonly type: RecordType;
  readonly subjectId: string;
  readonly mediaId: string;
  readonly createdAt: string;
  readonly price: Thousandths;
  /** What was asked for beside the subject's id, as its kind has it. Small: it travels through Temporal. */
  readonly parameters?: object;
  /** The API key whose account pays, if one does. */
  readonly chargedTo?: string;
  /** Who may stop it, see {@link Starter}. */
  readonly startedBy: Starter;
  /** Webhook of the first caller. */
  readonly webhookUrl?: string;
}

/** The field of a workflow's memo that holds the whole input, so that whoever meets the running job can write its record too. */
export const MEMO_JOB = 'job';

/** The record of a job that was accepted and has not ended; the api and the workflow's first step write the same one. */
export function pendingRecordOf(input: Omit<JobInput, 'version'>): PendingRecord {
  return {
    id: input.recordId,
    type: input.type,
    subjectId: input.subjectId,
    mediaId: input.mediaId,
    createdAt: input.createdAt,
    price: input.price,
    startedBy: input.startedBy,
    ...(input.parameters === undefined ? {} : { parameters: input.parameters }),
    ...(input.chargedTo === undefined ? {} : { chargedTo: input.chargedTo }),
    ...(input.webhookUrl === undefined ? {} : { webhookUrl: input.webhookUrl }),
    status: 'pending',
  };
}

export const progressStages = [
  'waiting',
  'fetching',
  'listing',
  'converting',
  'verifying',
  'publishing',
  // Of a transcript with speaker labels.
  'preparing',
  'detecting_speech',
  'transcribing',
  'diarizing',
] as const;

/** The field of a workflow's memo that says how far a transcription with speaker labels is. */
export const MEMO_SPEECH = 'speech';
/** The field of a job's memo that says why it waits for another job; absent while it works. */
export const MEMO_WAITING = 'waiting';

/** The windows of the audio are transcribed side by side, so that no single heartbeat tells how far the job is. */
export type SpeechProgress =
  | { readonly stage: 'preparing' | 'diarizing' }
  | { readonly stage: 'transcribing'; readonly done: number; readonly windows: number };

/** What a running activity reports by its heartbeat. */
export interface ActivityProgress {
  readonly stage: (typeof progressStages)[number];
  readonly percent?: number;
  readonly bytes?: number;
  readonly totalBytes?: number;
  /** Of a list: what has arrived. */
  readonly items?: number;
  readonly totalItems?: number;
}
