import { JobError } from '../../runtime/job-error.ts';
import type { ImgnetRecord } from './records/record-readers.ts';
import type { PostItem, ReelItem } from '../../contract/kinds/imgnet-media.ts';
import type { PostReference } from '../../contract/urls/imgnet-urls.ts';
import type { ContentFacts } from '../../contract/kinds/imgnet-content.ts';
import type { ImgnetProfileFields } from '../../contract/kinds/imgnet-profile.ts';
import type { SourceCall } from '../source-call-options.ts';

/** What to collect. */
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

/** Such calls need no folder. */
export type ImgnetCall = Pick<SourceCall, 'signal' | 'timeoutMs'>;

/** `empty`: it is done, and there is nothing. `failed`: nothing will come of it; another attempt needs another trigger. */
export type SnapshotProgress = 'running' | 'ready' | 'empty' | { readonly failed: JobError };

export interface SnapshotRow {
  /** The shortcode of a post or reel, the name of an account. The same in each download. */
  readonly key: string;
  readonly record: ImgnetRecord;
}

/** A part of a snapshot, in its order. */
export interface SnapshotPage {
  readonly rows: readonly SnapshotRow[];
  /** Rows left out since their key has come before. */
  readonly duplicates: number;
  /** Rows that tell an error instead of a record, or that have no key. */
  readonly failures: number;
}

/** Translates the provider's records into facts, which have the shape of the answers. */
export interface ImgnetFacts {
  /** @param account that was asked for, in lower case */
  profile(record: ImgnetRecord, account: string): ImgnetProfileFields;
  /** The shortcodes of the account's posts that the record of its profile shows. */
  shownPosts(record: ImgnetRecord): readonly string[];
  /** @param kind that was asked for @throws JobError for a record that names no post */
  content(record: ImgnetRecord, kind: PostReference['kind']): ContentFacts;
  /** @returns undefined for what is not in this part of an account's list */
  item(
    record: ImgnetRecord,
    list: { readonly part: 'posts' | 'reels'; readonly account: string },
  ): PostItem | ReelItem | undefined;
}

/**
 * A provider of the photo platform's public data, by snapshots: one is triggered, which costs money, is collected for
 * seconds to minutes, and can then be read as often as needed.
 *
 * Each method throws JobError, or the signal's reason when it is aborted.
 */
export interface ImgnetSource {
  /** Starts a snapshot. Never repeats by itself. @throws UncertainTriggerError */
  trigger(request: SnapshotRequest, call: ImgnetCall): Promise<{ readonly snapshotId: string }>;
  /**
   * Snapshots of the same kind of data that were started since a time, whoever asked for them: among them, unless the list
   * lags, is the one of a trigger whose answer was lost.
   *
   * @param sinceMs since 1970, by our clock
   * @returns their ids, the oldest first
   */
  startedSince(request: SnapshotRequest, sinceMs: number, call: ImgnetCall): Promise<readonly string[]>;
  /** Whether the snapshot was started by such a request: then it holds what the request would bring. */
  isOf(snapshotId: string, request: SnapshotRequest, call: ImgnetCall): Promise<boolean>;
  progress(snapshotId: string, call: ImgnetCall): Promise<SnapshotProgress>;
  /**
   * The records of a snapshot, without duplicates, a page at a time; no page if there is nothing.
   *
   * @throws SnapshotNotReadyError before the first page; SnapshotLostError, with the code of its error rows when it has no
   *   record but such rows; JobError
   */
  rows(snapshotId: string, call: ImgnetCall): AsyncIterable<SnapshotPage>;
  readonly facts: ImgnetFacts;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** It is still being built, even if its progress says otherwise: read it later. */
export class SnapshotNotReadyError extends Error {
  override readonly name = 'SnapshotNotReadyError';
  /** Milliseconds since 1970; undefined when the provider names no time. */
  readonly retryAtMs: number | undefined;

  constructor(retryAtMs: number | undefined) {
    super('The snapshot is not ready yet.');
    this.retryAtMs = retryAtMs;
  }
}

/** The snapshot is gone, or holds nothing but errors: another attempt needs another trigger. */
export class SnapshotLostError extends JobError {}

/**
 * Nobody knows whether a snapshot was started, and will be charged; as the end of a job, the provider could not tell
 * either. Its code is one of our own faults, so that nothing repeats it by itself.
 */
export class UncertainTriggerError extends JobError {
  constructor(cause: unknown) {
    super(
      'internal',
      'The dataset API did not say whether it started. It is not asked again by itself, since that may cost twice.',
      { cause },
    );
  }
}

/** The one record of a profile, post or reel. @throws JobError removed when there is none; what `pages` throws */
export async function onlyRecordOf(pages: AsyncIterable<SnapshotPage>): Promise<ImgnetRecord> {
  for await (const { rows } of pages) {
    const [row] = rows;
    if (row !== undefined) return row.record;
  }
  throw new JobError('removed', 'The platform has nothing at this address.');
}
