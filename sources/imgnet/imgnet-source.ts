import { JobError } from '../../runtime/job-error.ts';
import type { ImgnetRecord } from './records/record-readers.ts';
import type { ImgnetFacts } from './records/sparse-facts.ts';
import type { PostReference } from '../../contract/urls/imgnet-urls.ts';
import type { SourceCall } from '../source-call-options.ts';

export type SnapshotRequest =
  | { readonly kind: 'profile'; /** In lower case. */ readonly account: string }
  | {
      readonly kind: 'posts' | 'reels';
      /** In lower case. */
      readonly account: string;
      /** First day, `YYYY-MM-DD` in UTC; without it, from the beginning. */
      readonly sinceDate?: string;
    }
  | PostReference;

export type ImgnetCall = Pick<SourceCall, 'signal' | 'timeoutMs'>;

/** `empty`: the snapshot is complete and has no records. `failed`: another attempt needs another trigger. */
export type SnapshotProgress = 'running' | 'ready' | 'empty' | { readonly failed: JobError };

export interface SnapshotRow {
  /** The shortcode of a post or reel, or the name of an account. */
  readonly key: string;
  readonly record: ImgnetRecord;
}

/** Consecutive rows of a snapshot. */
export interface SnapshotPage {
  readonly rows: readonly SnapshotRow[];
  /** Rows that were left out because an earlier row has the same key. */
  readonly duplicates: number;
  /** Rows that contain an error instead of a record, or that have no key. */
  readonly failures: number;
}

/**
 * A provider of the photo platform's public data. A snapshot is triggered, which costs money, is collected for seconds to minutes,
 * and can then be read repeatedly. Each method throws JobError, or the signal's reason when it is aborted.
 */
export interface ImgnetSource {
  /** Starts a snapshot. It is never retried automatically. @throws UncertainTriggerError */
  trigger(request: SnapshotRequest, call: ImgnetCall): Promise<{ readonly snapshotId: string }>;
  /**
   * Lists the IDs of snapshots of the same dataset that any client of the account has started since a time, the oldest first. It
   * contains the snapshot of a trigger whose answer was lost, unless the list lags.
   */
  startedSince(request: SnapshotRequest, sinceMs: number, call: ImgnetCall): Promise<readonly string[]>;
  /** Whether the snapshot was started by an equal request, so that it holds the same data. */
  isOf(snapshotId: string, request: SnapshotRequest, call: ImgnetCall): Promise<boolean>;
  progress(snapshotId: string, call: ImgnetCall): Promise<SnapshotProgress>;
  /**
   * Reads the records of a snapshot in pages, without duplicates.
   *
   * @throws SnapshotNotReadyError before the first page; SnapshotLostError, also when the snapshot has only error rows
   */
  rows(snapshotId: string, call: ImgnetCall): AsyncIterable<SnapshotPage>;
  readonly facts: ImgnetFacts;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** The snapshot is still being built, even if its progress says otherwise. It must be read later. */
export class SnapshotNotReadyError extends Error {
  override readonly name = 'SnapshotNotReadyError';
  /** Milliseconds since 1970; undefined when the provider names no time. */
  readonly retryAtMs: number | undefined;

  constructor(retryAtMs: number | undefined) {
    super('The snapshot is not ready yet.');
    this.retryAtMs = retryAtMs;
  }
}

/** The snapshot no longer exists or has only errors. Another attempt needs another trigger. */
export class SnapshotLostError extends JobError {}

/** It is unknown whether a snapshot was started and will be charged. The fault is `internal`, so that the trigger is not retried. */
export class UncertainTriggerError extends JobError {
  constructor(cause: unknown) {
    super('snapshotUncertain', { cause });
  }
}

/** The one record of a profile, post or reel. @throws JobError removed when there is none; what `pages` throws */
export async function onlyRecordOf(pages: AsyncIterable<SnapshotPage>): Promise<ImgnetRecord> {
  for await (const { rows } of pages) {
    const [row] = rows;
    if (row !== undefined) return row.record;
  }
  throw new JobError('addressEmpty');
}
