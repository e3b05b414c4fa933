import { OWNER_PROFILE_PART } from '../contract/kinds/charges.ts';
import { failureFor } from '../contract/failures.ts';
import { pendingRecordOf, type JobInput } from '../contract/job-input.ts';
import type { Thousandths } from '../contract/money.ts';
import type { DownloadRecord, JobOutcome } from '../contract/download-record.ts';
import { imgnetContent } from '../contract/kinds/imgnet-content.ts';
import { postSubjectOf, subjectIdOf } from '../contract/kinds/subjects.ts';
import { isWithin } from '../contract/within.ts';
import { routeNamesOf, type RouteNames, type Routes } from '../pacing/routes.ts';
import type { FileStore } from '../store/files/file-store.ts';
import { isReusable } from '../store/records/is-reusable.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import { finishRecord } from '../store/records/finish-record.ts';
import type { LocalJobs } from './local-jobs.ts';

/** `done`: there is nothing to do; otherwise the names of the routes through which the job uses the platforms. */
export type Claim = 'done' | { readonly routes: RouteNames };

export interface FinishedJob {
  readonly recordId: string;
  readonly outcome: JobOutcome;
  readonly price: Thousandths;
}

/** The maximum difference between the clocks of the api and the workers. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/** The activities that begin and finish a job's record. All are idempotent. */
export function createRecordActivities({
  records,
  files,
  routes,
  localJobs,
}: {
  readonly records: RecordStore;
  readonly files: FileStore;
  readonly routes: Routes;
  readonly localJobs: LocalJobs;
}) {
  /**
   * Claims the subject for a job and ensures that its pending record exists.
   *
   * @returns `done` if another job of the subject succeeded just before this one started. No caller knows this job then, and
   *   it must end without a record.
   */
  const claimJob = async (input: JobInput): Promise<'claimed' | 'done'> => {
    // The record is written after its subject refers to it, by the api or by this activity.
    if ((await records.get(input.recordId)) === undefined) {
      const { latestId, successId } = await records.pointersOf(input.subjectId);
      const success = successId === undefined ? undefined : await records.get(successId);
      if (success !== undefined && isJustBefore(input, success)) {
        const isKnown = (await records.get(input.recordId)) !== undefined;
        if (!isKnown && (await isReusable(success, files))) return 'done';
      }
      // If this workflow was terminated in the meantime, a later job owns the subject.
      const isOwner = latestId === undefined || latestId < input.recordId;
      if (isOwner) {
        const previous = latestId === undefined || latestId === successId ? success : await records.get(latestId);
        if (previous?.status === 'pending') {
          // The earlier job was terminated, and nothing else finishes its record.
          await finishRecord(records, previous.id, { status: 'failed', failure: failureFor('stoppedByOperator') });
        }
        await records.noteLatest({ subjectId: input.subjectId, id: input.recordId });
      }
      await records.insertIfAbsent(pendingRecordOf(input));
    }
    // The paying job is charged from now on, even if it is cancelled, because this job continues.
    if (input.parameters !== undefined && 'paidBy' in input.parameters) {
      await records.recordProviderCall(String(input.parameters.paidBy), OWNER_PROFILE_PART);
    }
    return 'claimed';
  };
  return {
    /** @returns the ID of the record with fresh content of a post, whichever of its URLs was requested; otherwise undefined */
    async findFreshContent(shortcode: string): Promise<string | undefined> {
      for (const kind of ['post', 'reel'] as const) {
        const success = await records.successOf(postSubjectOf({ kind, shortcode }));
        if (success !== undefined && (await isReusable(success, files))) return success.id;
      }
      const sent = await records.contentsOf(subjectIdOf('imgnet_audio', shortcode));
      const isFresh = sent !== undefined && isWithin(sent.keptAtMs, imgnetContent.freshness * 1000, Date.now());
      return isFresh ? sent.recordId : undefined;
    },

    /** Finishes a job's record. A second call changes nothing. */
    async finishJob({ recordId, outcome, price }: FinishedJob): Promise<void> {
      await finishRecord(records, recordId, priced(outcome, price));
      localJobs.end(recordId);
    },

    /** Claims the subject for a job and returns the routes that the job uses. */
    async beginJob(input: JobInput): Promise<Claim> {
      const claim = await claimJob(input);
      if (claim === 'done') return claim;
      if (input.batchId === undefined && input.order?.priority !== 'bulk') localJobs.begin(input.recordId);
      return { routes: routeNamesOf(routes) };
    },
  };
}

/**
 * Whether the success came while the api accepted the job, so that the api returned that success to the caller. Excludes a
 * success that has expired only by the api's clock, and a success of another name of the subject, which the api may have
 * missed.
 */
function isJustBefore({ subjectId, createdAt }: JobInput, success: DownloadRecord): boolean {
  if (success.status !== 'success' || success.subjectId !== subjectId) return false;
  return Date.parse(success.finishedAt) >= Date.parse(createdAt) - CLOCKS_DIFFER_MS;
}

/** A success is charged what its activity reports, otherwise the price of the job. */
function priced(outcome: JobOutcome, price: Thousandths): JobOutcome {
  if (outcome.status !== 'success') return outcome;
  return { ...outcome, result: { charge: price, ...outcome.result } };
}
