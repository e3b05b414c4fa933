import { z } from 'zod';
import type { Failure } from './failures.ts';
import type { Thousandths } from './money.ts';

/** All types of the specification, section 2.1. */
export const recordTypeSchema = z.enum([
  'imgnet_profile',
  'imgnet_post',
  'imgnet_audio',
  'imgnet_list_posts',
  'imgnet_list_reels',
  'audio',
  'vidnet_video',
  'list',
  'captions',
]);
export type RecordType = z.infer<typeof recordTypeSchema>;

export const recordStatusSchema = z.enum(['pending', 'success', 'failed']);
export type RecordStatus = z.infer<typeof recordStatusSchema>;

/** A published file: its name inside the folder of its record, and what was verified before it appeared. */
export interface PublishedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** What every record holds, whatever its state. */
interface RecordBase {
  /** ULID; also the `_id` of the document. */
  readonly id: string;
  readonly type: RecordType;
  readonly subjectId: string;
  readonly mediaId: string;
  /** ISO 8601 UTC with microseconds. */
  readonly createdAt: string;
  /** What the job costs if it succeeds. */
  readonly price: Thousandths;
}

export interface PendingRecord extends RecordBase {
  readonly status: 'pending';
}

export interface SuccessRecord extends RecordBase {
  readonly status: 'success';
  readonly finishedAt: string;
  /** Booked by the write that made the record a success: exactly once. */
  readonly charge: Thousandths;
  readonly durationSeconds: number;
  readonly files: readonly PublishedFile[];
}

export interface FailedRecord extends RecordBase {
  readonly status: 'failed';
  readonly finishedAt: string;
  readonly failure: Failure;
}

/** A download as the store keeps it; `render.ts` turns it into the JSON that callers see. */
export type DownloadRecord = PendingRecord | SuccessRecord | FailedRecord;

/** What a job adds to its record when it ends well. */
export type JobResult = Pick<SuccessRecord, 'durationSeconds' | 'files'>;

/** How a job ends. */
export type JobOutcome =
  { readonly status: 'success'; readonly result: JobResult } | { readonly status: 'failed'; readonly failure: Failure };
