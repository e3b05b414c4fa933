import { ulid } from 'ulid';
import type { Caller, CreditReservation } from '../../contract/http/account-schemas.ts';
import { JOB_VERSION, pendingRecordOf, type JobInput } from '../../contract/job-input.ts';
import type { DownloadRecord, SuccessRecord } from '../../contract/download-record.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { isReusable } from '../../store/records/is-reusable.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { AcceptDeps } from '../service-deps.ts';
import { insufficientCredit, reserve } from './credit.ts';
import { claimSubscription, subscriberOf } from './subscribers.ts';

export interface NewJob extends Omit<JobInput, 'version' | 'recordId' | 'createdAt' | 'chargedTo' | 'startedBy'> {
  /** The ID of the record, if the caller knows it already. */
  readonly recordId?: string | undefined;
  /** Whether the request is an error while a job of the subject is running. Otherwise the request joins that job. */
  readonly isRefusedWhilePending?: boolean;
  /** A success that answers the request whatever its age. */
  readonly success?: SuccessRecord | undefined;
}

export interface Admission {
  readonly job: NewJob;
  /** The ID of the record, if this request starts the job. */
  readonly recordId: string;
  readonly latest: DownloadRecord | undefined;
  /** The ID of the newest success of the subject, whether it can be reused or not. */
  readonly successId: string | undefined;
  readonly finished: DownloadRecord | undefined;
}

export async function admissionOf(deps: AcceptDeps, { ids }: LimitedCaller, job: NewJob): Promise<Admission> {
  const { latest, success } = await deps.records.standingOf(job.subjectId);
  const recordId = job.recordId ?? ids?.of(job.type) ?? ulid();
  const own = ids && (await deps.records.get(recordId));
  const ended = own?.status === 'pending' ? undefined : own;
  const finished = ended ?? job.success ?? (await reusable(deps, success));
  return { job, recordId, latest, successId: success?.id, finished };
}

/** Adds to each of two jobs the ID of the other, because the webhook of a list reports the status of both parts. */
export function linkAdmissions(one: Admission, other: Admission): readonly [Admission, Admission] {
  const withOther = ({ job, ...rest }: Admission, { recordId, finished }: Admission): Admission => ({
    ...rest,
    job: { ...job, parameters: { ...job.parameters, otherId: finished?.id ?? recordId } },
  });
  return [withOther(one, other), withOther(other, one)];
}

/** @returns the record if it is a success that is still fresh and whose files are kept */
export async function reusable(
  deps: AcceptDeps,
  record: DownloadRecord | undefined,
): Promise<DownloadRecord | undefined> {
  return record !== undefined && (await isReusable(record, deps.files, deps.now())) ? record : undefined;
}

export async function enforceRateLimit(caller: LimitedCaller, admissions: readonly Admission[]): Promise<void> {
  const subjects = admissions.map(({ job: { subjectId }, latest }) => ({ subjectId, latest }));
  await caller.admitJobs?.(
    subjects,
    admissions.every(({ finished }) => finished !== undefined),
  );
}

/**
 * Claims the webhook subscriptions of two jobs before either is started, because the webhook is added to both or to none.
 */
export async function claimSubscriptions(
  deps: AcceptDeps,
  caller: Caller,
  admissions: readonly Admission[],
): Promise<void> {
  if (admissions.every(({ finished }) => finished !== undefined)) return;
  for (const { job, finished } of admissions) {
    const { subjectId, webhookUrl } = job;
    if (webhookUrl === undefined) continue;
    const record = finished ?? (await runningRecordOf(deps, subjectId));
    if (record !== undefined) {
      await claimSubscription(deps, caller, { recordId: record.id, webhookUrl, startedWith: record });
    }
  }
}

async function runningRecordOf({ jobs, records }: AcceptDeps, subjectId: string): Promise<DownloadRecord | undefined> {
  const running = await jobs.running(subjectId);
  if (running === 'closed') return undefined;
  return (await records.get(running.running.recordId)) ?? pendingRecordOf(running.running);
}

/**
 * Reserves the prices of the jobs that are not finished.
 * @returns the admissions that may be started; the others can only join a running job
 */
export async function reservePrices(
  deps: AcceptDeps,
  caller: Caller,
  admissions: readonly Admission[],
): Promise<ReadonlySet<Admission>> {
  const open = admissions.filter(({ finished }) => finished === undefined);
  if (await reserve(deps, caller, open.map(creditReservationOf))) return new Set(open);
  // Running jobs are joined, which is free.
  const running = await Promise.all(open.map(({ job }) => deps.jobs.running(job.subjectId)));
  const toStart = open.filter((_admission, index) => running[index] === 'closed');
  if (toStart.length < open.length && (await reserve(deps, caller, toStart.map(creditReservationOf))))
    return new Set(toStart);
  const price = toStart.reduce((sum, { job }) => sum + job.price, 0);
  throw await insufficientCredit(deps, caller, price);
}

export function creditReservationOf({ recordId, job }: Admission): CreditReservation {
  return { recordId, subjectId: job.subjectId, amount: job.price };
}

export function jobInputOf(caller: Caller, { recordId, job }: Admission): JobInput {
  const { isRefusedWhilePending: _isRefused, success: _success, ...input } = job;
  return {
    ...input,
    version: JOB_VERSION,
    recordId,
    createdAt: nowMicroseconds(),
    startedBy: subscriberOf(caller),
    chargedTo: caller.kind === 'key' ? caller.key.id : undefined,
  };
}
