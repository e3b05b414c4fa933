import type { Thousandths } from './money.ts';
import type { PendingRecord, RecordType } from './records.ts';

/** The input of every job's workflow. Small by design: only references travel through Temporal. */
export interface JobInput {
  /** ULID of the record that this job fills. */
  readonly recordId: string;
  readonly type: RecordType;
  readonly subjectId: string;
  readonly mediaId: string;
  readonly createdAt: string;
  readonly price: Thousandths;
  /** Webhook of the first caller. */
  readonly webhookUrl?: string;
}

/** The record of a job that was accepted and has not ended; the api and the workflow's first step write the same one. */
export function pendingRecordOf(input: JobInput): PendingRecord {
  return {
    id: input.recordId,
    type: input.type,
    subjectId: input.subjectId,
    mediaId: input.mediaId,
    createdAt: input.createdAt,
    price: input.price,
    status: 'pending',
  };
}

export const progressStages = ['waiting', 'fetching', 'converting', 'verifying', 'publishing'] as const;

/** What a running activity reports by its heartbeat. */
export interface ActivityProgress {
  readonly stage: (typeof progressStages)[number];
  readonly percent?: number;
  readonly bytes?: number;
  readonly totalBytes?: number;
}
