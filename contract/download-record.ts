import { z } from 'zod';
import type { Failure } from './failures.ts';
import type { Thousandths } from './money.ts';

/** The record types of the specification (section 2.1), and those of speaker labels and of media of other sites. */
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

/** A published file: its name inside the folder of its record, with the size and hash that were verified before publication. */
export interface PublishedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Set for a silent file that stands for a video without sound, so that file positions match those of the videos. */
  readonly isSilence?: true;
}

/** The starter of a job: the ID of an API key, `anonymous`, `service` (over tRPC), or `job` for another job. */
export type Starter = string;

/** Fields of every record. */
interface RecordBase {
  /** ULID; also the `_id` of the document. */
  readonly id: string;
  readonly type: RecordType;
  readonly subjectId: string;
  readonly mediaId: string;
  /** ISO 8601 UTC with microseconds. */
  readonly createdAt: string;
  /** The price that a success is charged. */
  readonly price: Thousandths;
  /** The parameters of the request, in the shape that the kind defines. */
  readonly parameters?: object;
  /** The API key whose account is charged; absent for a job that is not charged. */
  readonly chargedTo?: string;
  /**
   * The parts for which a provider that bills each request is being called or was called, and has not refused. They change only
   * while the record is pending, and determine the charge of a cancelled job.
   */
  readonly providerCalls?: Readonly<Record<string, true>>;
  readonly startedBy: Starter;
  /** The webhook of the request that started the job. It is never shown, because it may contain a secret. */
  readonly webhookUrl?: string;
}

export interface PendingRecord extends RecordBase {
  readonly status: 'pending';
}

export interface SuccessRecord extends RecordBase {
  readonly status: 'success';
  readonly finishedAt: string;
  /** Booked exactly once, by the write that made the record a success. */
  readonly charge: Thousandths;
  /** The title on the platform, in one line. */
  readonly title?: string;
  /** The duration of media; absent for other results. */
  readonly durationSeconds?: number;
  readonly files: readonly PublishedFile[];
  /** When retention removed the files. */
  readonly filesRemovedAt?: string;
  /** When retention removed the facts and lists. */
  readonly contentsRemovedAt?: string;
  /** The lists that are stored in pieces, by name. */
  readonly lists?: Readonly<Record<string, StoredList>>;
  /** The record that owns the contents, when another job of the same subject had fetched them already. */
  readonly contentsOf?: string;
}

/** A list that is stored in pieces. */
export interface StoredList {
  readonly pieces: number;
  readonly items: number;
}

export interface FailedRecord extends RecordBase {
  readonly status: 'failed';
  readonly finishedAt: string;
  readonly failure: Failure;
}

/** A stored download, from which its kind renders the JSON for callers. */
export type DownloadRecord = PendingRecord | SuccessRecord | FailedRecord;

/** What a successful job adds to its record. It travels through Temporal, so it contains references only. */
export interface JobResult extends Partial<
  Pick<SuccessRecord, 'title' | 'durationSeconds' | 'files' | 'lists' | 'contentsOf'>
> {
  /** Set when it differs from the ID that was known at the start. */
  readonly mediaId?: string;
  /** Set when it differs from the price. */
  readonly charge?: Thousandths;
}

/** How a job ends. */
export type JobOutcome =
  { readonly status: 'success'; readonly result: JobResult } | { readonly status: 'failed'; readonly failure: Failure };
