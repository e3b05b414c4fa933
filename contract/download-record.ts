import { z } from 'zod';
import type { Failure } from './failures.ts';
import type { Thousandths } from './money.ts';

/** The record types of the specification (section 2.1), and those of speaker labels, media of other sites, media info and uploads. */
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
  'media_info',
  'upload',
]);
export type RecordType = z.infer<typeof recordTypeSchema>;

export const recordStatusSchema = z.enum(['pending', 'success', 'failed']);
export type RecordStatus = z.infer<typeof recordStatusSchema>;

export interface PublishedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Set for a picture, for a video without sound, and for the silent file that stands for one, so that the files correspond to the videos by index. */
  readonly isSilence?: true;
  /** The name for people; absent if it is that of the store. */
  readonly downloadName?: string;
  /** Whether the streams are as the site sent them; absent for a file without options. */
  readonly encoding?: 'copied' | 'converted';
}

/** The starter of a job: the ID of an API key, `anonymous`, `service` (over tRPC), or `job` for another job. */
export type Starter = string;

interface RecordBase {
  /** ULID; also the `_id` of the document. */
  readonly id: string;
  readonly type: RecordType;
  readonly subjectId: string;
  readonly mediaId: string;
  /** ISO 8601 UTC with microseconds. */
  readonly createdAt: string;
  readonly price: Thousandths;
  readonly parameters?: object;
  /** The API key whose account is charged; absent for a job that is not charged. */
  readonly chargedTo?: string | undefined;
  /** The parts for which a provider that bills each request was called and has not refused; a cancelled job is charged for them. */
  readonly providerCalls?: Readonly<Record<string, true>>;
  readonly startedBy: Starter;
  /** The webhook of the request that started the job. It is never shown, because it may contain a secret. */
  readonly webhookUrl?: string | undefined;
  /** Set for a job that another job or a batch has started. It ends with that unless others wait for it. */
  readonly endsWithStarter?: true | undefined;
  /** For how many days after its end the request that started the job wants its contents to be kept. */
  readonly keepDays?: number | undefined;
  /** Set on such a job: `shared` if others wait for it, `abandoned` if it is being cancelled. */
  readonly interest?: 'shared' | 'abandoned';
}

export interface PendingRecord extends RecordBase {
  readonly status: 'pending';
}

export interface SuccessRecord extends RecordBase {
  readonly status: 'success';
  readonly finishedAt: string;
  /** Booked exactly once, by the write that makes the record a success. */
  readonly charge: Thousandths;
  readonly title?: string | undefined;
  readonly durationSeconds?: number | undefined;
  readonly files: readonly PublishedFile[];
  readonly filesRemovedAt?: string;
  readonly contentsRemovedAt?: string;
  readonly lists?: Readonly<Record<string, StoredList>>;
  /** The record that owns the contents, when another job of the same subject had fetched them already. */
  readonly contentsOf?: string;
}

export interface StoredList {
  readonly pieces: number;
  readonly items: number;
}

export interface FailedRecord extends RecordBase {
  readonly status: 'failed';
  readonly finishedAt: string;
  readonly failure: Failure;
}

export type DownloadRecord = PendingRecord | SuccessRecord | FailedRecord;

/** The fields that a successful job adds to its record. They pass through Temporal, so they contain references only. */
export interface JobResult extends Partial<
  Pick<SuccessRecord, 'title' | 'durationSeconds' | 'files' | 'lists' | 'contentsOf'>
> {
  /** Set when it differs from the ID that was known at the start. */
  readonly mediaId?: string;
  /** Set when it differs from the price. */
  readonly charge?: Thousandths;
}

export type JobOutcome =
  { readonly status: 'success'; readonly result: JobResult } | { readonly status: 'failed'; readonly failure: Failure };
