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

/** `done`: there is nothing to do; otherwise the routes by which a job uses the platforms. */
export type Claim = 'done' | { readonly routes: RouteNames };

export interface FinishedJob {
  readonly recordId: string;
  readonly outcome: JobOutcome;
  readonly price: Thousandths;
}

/** The clocks of the api and the workers differ by less. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/** The activities around a job's record. All may be repeated at will. */
export function createRecordActivities({
  records,
  files,
  routes,
}: {
  readonly records: RecordStore;
  readonly files: FileStore;
  readonly routes: Routes;
}) {
  /**
   * Takes the subject for a job: its pending record exists afterwards.
   *
   * @returns `done` when another job of the subject succeeded just before this one was started; no caller knows of this job
   *   then, and it must end without a trace
   */
  const claimJob = async (input: JobInput): Promise<'claimed' | 'done'> => {
    // A record is written when its subject points to it, by whoever comes first: then there is nothing left to do.
    if ((await records.get(input.recordId)) === undefined) {
      const { latestId, successId } = await records.pointersOf(input.subjectId);
      const success = successId === undefined ? undefined : await records.get(successId);
      if (success !== undefined && isJustBefore(input, success)) {
        const isKnown = (await records.get(input.recordId)) !== undefined;
        if (!isKnown && (await isReusable(success, files))) return 'done';
      }
      // A subject has one open workflow. If ours was terminated while this step was on its way, a later job has it now.
      const isOurs = latestId === undefined || latestId < input.recordId;
      if (isOurs) {
        const previous = latestId === undefined || latestId === successId ? success : await records.get(latestId);
        if (previous?.status === 'pending') {
          // The earlier one was terminated, and nothing else will end its record.
          await finishRecord(records, previous.id, { status: 'failed', failure: failureFor('stoppedByOperator') });
        }
        await records.noteLatest({ subjectId: input.subjectId, id: input.recordId });
      }
      await records.insertIfAbsent(pendingRecordOf(input));
    }
    // Who pays for the job is charged for it from now on, also when cancelled: this job goes on then.
    if (input.parameters !== undefined && 'paidBy' in input.parameters) {
      await records.recordProviderCall(String(input.parameters.paidBy), OWNER_PROFILE_PART);
    }
    return 'claimed';
  };
  return {
    /** @returns the record beside which the content of a post is kept, by whichever URL it was fetched; undefined when none is fresh */
    async findFreshContent(shortcode: string): Promise<string | undefined> {
      for (const kind of ['post', 'reel'] as const) {
        const success = await records.successOf(postSubjectOf({ kind, shortcode }));
        if (success !== undefined && (await isReusable(success, files))) return success.id;
      }
      const sent = await records.contentsOf(subjectIdOf('imgnet_audio', shortcode));
      const isFresh = sent !== undefined && isWithin(sent.keptAtMs, imgnetContent.freshness * 1000, Date.now());
      return isFresh ? sent.recordId : undefined;
    },

    /**
     * Ends a job's record; whoever comes second changes nothing.
     *
     * @param job.price of the job, which spares a look
     */
    async finishJob({ recordId, outcome, price }: FinishedJob): Promise<void> {
      await finishRecord(records, recordId, priced(outcome, price));
    },

    /** Takes the subject for a job, and tells it by which route each of its uses of a platform goes. */
    async beginJob(input: JobInput): Promise<Claim> {
      const claim = await claimJob(input);
      return claim === 'done' ? claim : { routes: routeNamesOf(routes) };
    },
  };
}

/**
 * Whether the success came between the two looks of the api that accepts the job: the api has seen it then, and told its
 * caller of no other record. Not one that is about to expire by our clock and has expired by the api's, nor one of
 * another name of the subject, which may come at any time: the api may have missed it.
 */
function isJustBefore({ subjectId, createdAt }: JobInput, success: DownloadRecord): boolean {
  if (success.status !== 'success' || success.subjectId !== subjectId) return false;
  return Date.parse(success.finishedAt) >= Date.parse(createdAt) - CLOCKS_DIFFER_MS;
}

/** A success costs what its work says, and otherwise what the job costs. */
function priced(outcome: JobOutcome, price: Thousandths): JobOutcome {
  if (outcome.status !== 'success') return outcome;
  return { ...outcome, result: { charge: price, ...outcome.result } };
}
