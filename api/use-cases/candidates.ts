import { ulid } from 'ulid';
import type { Caller, Hold } from '../../contract/accounts.ts';
import type { JobInput } from '../../contract/jobs.ts';
import type { JobWorkflow } from '../../contract/kinds.ts';
import type { DownloadRecord, SuccessRecord } from '../../contract/records.ts';
import { isReusable } from '../../store/reuse.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { ServiceDeps } from '../deps.ts';
import { insufficientCredit, reserve } from './account.ts';
import { claimPlace } from './subscribers.ts';

export interface NewJob extends Omit<
  JobInput,
  'version' | 'recordId' | 'createdAt' | 'chargedTo' | 'startedBy' | 'webhookUrl'
> {
  readonly workflow: JobWorkflow;
  readonly webhookUrl: string | undefined;
  /** Whether a job that runs is told of as a duplicate, and not joined. */
  readonly isRefusedWhilePending?: boolean;
  /** A success that answers, however old it is. */
  readonly success?: SuccessRecord | undefined;
}

/** A job on its way to be accepted. */
export interface Candidate {
  readonly job: NewJob;
  /** Of the record, if it is this request that starts the job. */
  readonly recordId: string;
  /** The newest job of the subject, and its newest success, when it was looked at. */
  readonly latest: DownloadRecord | undefined;
  readonly successId: string | undefined;
  readonly finished: DownloadRecord | undefined;
}

/** The webhook of the one tells of the other too, which need not have been started when the one ends. */
export function knowingEachOther(one: Candidate, other: Candidate): readonly [Candidate, Candidate] {
  const withOther = ({ job, ...rest }: Candidate, { recordId, finished }: Candidate): Candidate => ({
    ...rest,
    job: { ...job, parameters: { ...job.parameters, otherId: finished?.id ?? recordId } },
  });
  return [withOther(one, other), withOther(other, one)];
}

export async function candidateOf(deps: ServiceDeps, job: NewJob): Promise<Candidate> {
  const { latest, success } = await deps.records.standingOf(job.subjectId);
  const finished = job.success ?? (await ifReusable(deps, success));
  return { job, recordId: ulid(), latest, successId: success?.id, finished };
}

/** @returns a success that is answered without a new job */
export async function ifReusable(
  deps: ServiceDeps,
  record: DownloadRecord | undefined,
): Promise<DownloadRecord | undefined> {
  return record !== undefined && (await isReusable(record, deps.files, deps.now())) ? record : undefined;
}

/** @throws ApiError `rate_limited` */
export async function admit(caller: LimitedCaller, candidates: readonly Candidate[]): Promise<void> {
  const subjects = candidates.map(({ job: { subjectId }, latest }) => ({ subjectId, latest }));
  await caller.admitJobs?.(
    subjects,
    candidates.every(({ finished }) => finished !== undefined),
  );
}

/** Of two jobs, one may run or have ended, and have no place for a further webhook: then the other must not be started first. */
export async function claimPlaces(deps: ServiceDeps, caller: Caller, candidates: readonly Candidate[]): Promise<void> {
  if (candidates.every(({ finished }) => finished !== undefined)) return;
  for (const { job, finished } of candidates) {
    const { subjectId, webhookUrl } = job;
    if (webhookUrl === undefined) continue;
    const running = finished === undefined ? await deps.jobs.running(subjectId) : 'closed';
    if (running !== 'closed') {
      const { recordId } = running.running;
      const startedWith = (await deps.records.get(recordId)) ?? running.running;
      await claimPlace(deps, caller, { recordId, webhookUrl, startedWith });
    } else if (finished !== undefined) {
      await claimPlace(deps, caller, { recordId: finished.id, webhookUrl, startedWith: finished });
    }
  }
}

/**
 * Sets the prices aside, as far as that is needed.
 *
 * @returns those that may be started, since nobody has to pay or the key can; the others can only be joined
 * @throws ApiError `insufficient_credit`
 */
export async function setAside(
  deps: ServiceDeps,
  caller: Caller,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<Candidate>> {
  const open = candidates.filter(({ finished }) => finished === undefined);
  if (await reserve(deps, caller, open.map(holdOf))) return new Set(open);
  // To join a job that runs costs nothing.
  const running = await Promise.all(open.map(({ job }) => deps.jobs.running(job.subjectId)));
  const toStart = open.filter((_candidate, index) => running[index] === 'closed');
  if (toStart.length < open.length && (await reserve(deps, caller, toStart.map(holdOf)))) return new Set(toStart);
  const price = toStart.reduce((sum, { job }) => sum + job.price, 0);
  throw await insufficientCredit(deps, caller, price);
}

export function holdOf({ recordId, job }: Candidate): Hold {
  return { recordId, subjectId: job.subjectId, amount: job.price };
}
