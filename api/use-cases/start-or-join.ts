import { ApiError } from '../../contract/http/api-error.ts';
import { kinds } from '../../contract/kinds/kinds.ts';
import { pendingRecordOf, type JobInput } from '../../contract/job-input.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { AdmissionSlot } from '../admission-queue.ts';
import type { AcceptDeps } from '../service-deps.ts';
import type { RunningJob } from '../job-gateway.ts';
import { insufficientCredit, release } from './credit.ts';
import {
  admissionOf,
  claimSubscriptions,
  enforceRateLimit,
  creditReservationOf,
  jobInputOf,
  linkAdmissions,
  reservePrices,
  reusable,
  type Admission,
  type NewJob,
} from './admission.ts';
import { notifyCompleted, type Accepted } from './follow-jobs.ts';
import { subscribe } from './subscribers.ts';

/** A job may end between two reads of its subject, so the request is tried again, at most this often. */
const MAX_TRIES = 5;
/** A job that has ended its record usually closes within milliseconds, but on an overloaded machine it may take seconds. */
const CLOSING_MS = 5_000;

/**
 * Answers a request with the finished record of its subject, or with a job for it: a new job, or the running one, to which the
 * webhook is then added. Only the caller that starts a job is charged.
 */
export async function startOrJoin(deps: AcceptDeps, caller: LimitedCaller, job: NewJob): Promise<Accepted> {
  return deps.admissionQueue.run(async (slot) => {
    const admission = await admissionOf(deps, caller, job);
    await enforceRateLimit(caller, [admission]);
    return accept({ deps, caller, slot, admission });
  });
}

/** Does the same for the two jobs of one request. If the credit does not suffice for both, neither is started. */
export async function startOrJoinBoth(
  deps: AcceptDeps,
  caller: LimitedCaller,
  jobs: readonly [NewJob, NewJob],
): Promise<readonly [Accepted, Accepted]> {
  return deps.admissionQueue.run(async (slot) => {
    const [one, other] = linkAdmissions(
      ...(await Promise.all([admissionOf(deps, caller, jobs[0]), admissionOf(deps, caller, jobs[1])])),
    );
    await enforceRateLimit(caller, [one, other]);
    await claimSubscriptions(deps, caller, [one, other]);
    const reserved = await reservePrices(deps, caller, [one, other]);
    const acceptReserved = (admission: Admission): Promise<Accepted> =>
      accept({ deps, caller, slot, admission, isReserved: reserved.has(admission) });
    const first = await acceptReserved(one).catch(async (error: unknown) => {
      if (reserved.has(other)) await release(deps, caller, creditReservationOf(other));
      throw error;
    });
    const second = await acceptReserved(other);
    await notifyCompleted(deps, caller, { both: [first, second], webhookUrl: jobs[0].webhookUrl });
    return [first, second];
  });
}

interface AcceptContext {
  readonly deps: AcceptDeps;
  readonly caller: LimitedCaller;
  readonly slot: AdmissionSlot;
  readonly admission: Admission;
  /** Whether the price is reserved: absent if that was not attempted, false if the job can only be joined. */
  isReserved?: boolean;
  /**
   * Whether the reservation is not released. It is set before the job is started. If the outcome of the start stays unknown,
   * the job captures the reservation, or a later check of old reservations releases it.
   */
  isOwnedByJob?: boolean;
}

/** Runs the steps reuse, reserve, start, join and settle until one of them answers the request. */
async function accept(context: AcceptContext): Promise<Accepted> {
  const { deps, caller, admission } = context;
  if (admission.finished !== undefined) return answerWith(context, 'finished', admission.finished);
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // A caller that polls a running job only joins it, so nothing is reserved and released.
      const isPoll = tries === 0 && context.isReserved === undefined && admission.latest?.status === 'pending';
      const accepted = (isPoll ? await joinIfRunning(context) : undefined) ?? (await startOrJoinOnce(context));
      if (accepted !== undefined) return accepted;
    }
    throw new ApiError('unavailable', 'The jobs of this subject end too quickly to join one. Try again.', {
      retryAfterSeconds: 5,
    });
  } finally {
    if (context.isReserved === true && context.isOwnedByJob !== true)
      await release(deps, caller, creditReservationOf(admission));
  }
}

async function joinIfRunning(context: AcceptContext): Promise<Accepted | undefined> {
  const { deps, admission } = context;
  const running = await deps.jobs.running(admission.job.subjectId);
  if (running !== 'closed') return join(context, running);
  return reuse(context, (await deps.records.successOf(admission.job.subjectId))?.id);
}

/** @returns undefined when the subject's job closed meanwhile, so that the request has to be tried again */
async function startOrJoinOnce(context: AcceptContext): Promise<Accepted | undefined> {
  const { deps, caller, admission } = context;
  context.isReserved ??= (await reservePrices(deps, caller, [admission])).has(admission);
  if (context.isReserved) {
    const started = await start(context);
    if (started === 'closed') return undefined;
    return 'how' in started ? started : join(context, started);
  }
  const running = await deps.jobs.running(admission.job.subjectId);
  if (running === 'closed') throw await insufficientCredit(deps, caller, admission.job.price);
  return join(context, running);
}

async function reuse(context: AcceptContext, successId: string | undefined): Promise<Accepted | undefined> {
  const { deps, admission } = context;
  if (successId === undefined || successId === admission.successId) return undefined;
  const success = await reusable(deps, await deps.records.get(successId));
  return success && answerWith(context, 'finished', success);
}

/** @returns the running job if there is one, or `closed` if it has closed meanwhile */
async function start(context: AcceptContext): Promise<Accepted | 'closed' | RunningJob> {
  const { deps, caller, slot, admission } = context;
  const { subjectId, type } = admission.job;
  const input = jobInputOf(caller, admission);
  context.isOwnedByJob = true;
  const started = await deps.jobs.start(kinds[type].workflow, input, { delayMs: slot.startDelayMs() });
  if (started !== 'started') {
    context.isOwnedByJob = false;
    return started;
  }
  // This write returns the success of a job that closed just before; then the new job ends without a record. It also makes the
  // new record the latest of its subject before the caller polls, even if no worker has begun the job.
  const successId = await deps.records.noteLatest({ subjectId, id: admission.recordId });
  const reused = await reuse(context, successId);
  if (reused !== undefined) {
    context.isOwnedByJob = false;
    await deps.records.noteLatest(reused.record);
    return reused;
  }
  const [record] = await Promise.all([
    deps.records.insertIfAbsent(pendingRecordOf(input)),
    recordRequester(context, admission.recordId),
  ]);
  deps.feeds.accepted(caller, record);
  deps.log.info({ downloadId: admission.recordId, subjectId }, 'job accepted');
  return { how: 'started', record };
}

/** @returns undefined when the job has ended */
async function join(context: AcceptContext, { running, runId }: RunningJob): Promise<Accepted | undefined> {
  const { deps, caller, slot, admission } = context;
  const { subjectId, webhookUrl, isRefusedWhilePending = false } = admission.job;
  const [success, known] = await Promise.all([deps.records.successOf(subjectId), deps.records.get(running.recordId)]);
  const reused = await reuse(context, success?.id);
  if (reused !== undefined) return reused;
  // The request that started the job may not have written the record yet, and this caller will poll it.
  const record = known ?? (await deps.records.insertIfAbsent(pendingRecordOf(running)));
  const isLeft = record.status === 'pending' && !(await keepsRunning(context, record, running));
  // The request that abandoned the job may have failed to cancel it.
  if (isLeft) await deps.jobs.cancel({ subjectId, recordId: record.id });
  if (isLeft || record.status !== 'pending') {
    // The job has ended its record and is about to close. After a failure, the next try starts a new job.
    await slot.releaseDuring(() => deps.jobs.waitFor({ subjectId, runId }, CLOSING_MS));
    return undefined;
  }
  const isOwn = running.recordId === admission.recordId;
  if (isRefusedWhilePending && !isOwn) {
    const ignored = webhookUrl === undefined ? '' : ' The webhook was not added.';
    const message = `A pending download already exists for this video.${ignored}`;
    throw new ApiError('pending_duplicate', message, { id: record.id });
  }
  const startsLater = Date.parse(running.order?.notBefore ?? '') > deps.now();
  if (startsLater && admission.job.order?.notBefore === undefined) await deps.jobs.begin({ subjectId, runId });
  if (webhookUrl !== undefined) {
    // A job that has closed meanwhile accepts no subscriber; the next try finds its result.
    const subscription = { recordId: record.id, subjectId, runId, webhookUrl, startedWith: record };
    if (!(await subscribe(deps, caller, subscription))) return undefined;
  }
  return answerWith(context, isOwn ? 'started' : 'joined', record);
}

/** Notes that others wait for a job that another job or a batch has started. @returns false when it is being cancelled */
async function keepsRunning(
  { deps, caller, admission: { job } }: AcceptContext,
  record: DownloadRecord,
  { batchId }: JobInput,
): Promise<boolean> {
  if (record.endsWithStarter !== true) return true;
  // Callers without a key are not distinguished.
  const isSameKey = caller.kind === 'key' && caller.key.id === record.startedBy;
  const isOwn = job.endsWithStarter === true && batchId === job.batchId && (batchId !== undefined || isSameKey);
  if (isOwn && record.interest === undefined) return true;
  return (await deps.records.noteInterest(record.id, 'shared')) !== 'abandoned';
}

async function answerWith(context: AcceptContext, how: Accepted['how'], record: DownloadRecord): Promise<Accepted> {
  await recordRequester(context, record.id);
  context.deps.feeds.accepted(context.caller, record);
  return { how, record };
}

async function recordRequester({ deps, caller, admission }: AcceptContext, recordId: string): Promise<void> {
  if (caller.ids !== undefined) caller.ids.noted[admission.job.type] = recordId;
  if (caller.kind === 'key') await deps.keyDownloads.note(caller.key.id, recordId);
}
