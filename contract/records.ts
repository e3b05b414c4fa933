import { z } from 'zod';
import type { Failure } from './failures.ts';
import type { Thousandths } from './money.ts';

/** All types of the specification, section 2.1, and the jobs behind transcripts with speaker labels. */
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
  'speaker_labels',
  'media',
]);
export type RecordType = z.infer<typeof recordTypeSchema>;

export const recordStatusSchema = z.enum(['pending', 'success', 'failed']);
export type RecordStatus = z.infer<typeof recordStatusSchema>;

/** A published file: its name inside the folder of its record, and what was verified before it appeared. */
export interface PublishedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Of a video without sound: it only keeps the place of that one among the others. */
  readonly isSilence?: true;
}

/** Who started a job: the id of an API key, `anonymous`, `service` (over tRPC), or `job` for another job. */
export type Starter = string;

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
  /** What was asked for beside the subject's id, as its kind has it. */
  readonly parameters?: object;
  /** The API key whose account pays; absent for what nobody pays. */
  readonly chargedTo?: string;
  /**
   * The parts for which a provider that bills us was asked, or is being asked, and has not refused. Changes only while the
   * record is pending: its end tells by this what a cancelled job costs.
   */
  readonly providerAsked?: Readonly<Record<string, true>>;
  readonly startedBy: Starter;
  /** The webhook that came with the request that started the job. Not shown: it may hold a secret. */
  readonly webhookUrl?: string;
}

export interface PendingRecord extends RecordBase {
  readonly status: 'pending';
}

export interface SuccessRecord extends RecordBase {
  readonly status: 'success';
  readonly finishedAt: string;
  /** Booked by the write that made the record a success: exactly once. */
  readonly charge: Thousandths;
  /** What the platform calls it, in one line. */
  readonly title?: string;
  /** Of media; absent for what has no duration. */
  readonly durationSeconds?: number;
  readonly files: readonly PublishedFile[];
  /** When the files were removed, after the time for which they are kept. */
  readonly filesRemovedAt?: string;
  /** The same of facts and lists. */
  readonly contentsRemovedAt?: string;
  /** The lists that are kept in pieces beside the record, by name. */
  readonly lists?: Readonly<Record<string, StoredList>>;
  /** The record whose contents these are, when another job of the same subject had them already. */
  readonly contentsOf?: string;
}

/** A list that is kept in pieces. */
export interface StoredList {
  readonly pieces: number;
  readonly items: number;
}

export interface FailedRecord extends RecordBase {
  readonly status: 'failed';
  readonly finishedAt: string;
  readonly failure: Failure;
}

/** A download as the store keeps it; its kind renders the JSON that callers see. */
export type DownloadRecord = PendingRecord | SuccessRecord | FailedRecord;

/** What a job adds to its record when it ends well: references only, since it travels through Temporal. */
export interface JobResult extends Partial<
  Pick<SuccessRecord, 'title' | 'durationSeconds' | 'files' | 'lists' | 'contentsOf'>
> {
  /** When it is not what was known at the start. */
  readonly mediaId?: string;
  /** When it is not the price. */
  readonly charge?: Thousandths;
}

/** How a job ends. */
export type JobOutcome =
  { readonly status: 'success'; readonly result: JobResult } | { readonly status: 'failed'; readonly failure: Failure };
