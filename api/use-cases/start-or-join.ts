import type { LimitedCaller } from '../access/access-middleware.ts';
import { ulid } from 'ulid';
import type { Caller, Hold } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import { pendingRecordOf, type JobInput } from '../../contract/jobs.ts';
import type { DownloadRecord, SuccessRecord } from '../../contract/records.ts';
import { nowMicroseconds } from '../../store/clock.ts';
import { isReusable } from '../../store/reuse.ts';
import type { ServiceDeps } from '../deps.ts';
import type { JobWorkflow } from '../../contract/kinds.ts';
import { insufficientCredit, release, reserve } from './account.ts';
import { tellOfEnded, type Accepted } from './follow.ts';
import { claimPlace, noteTold, subscribe, subscriberOf } from './subscribers.ts';

/** A subject whose jobs keep ending between two looks is asked for again this often. */
const MAX_TRIES = 5;
/**
 * A job that has ended its record starts its webhooks, gives back its turn and closes, within milliseconds. On a machine with
 * ten times the load that it can bear, one took more than 10 s.
 */
const CLOSING_MS = 5_000;

export interface NewJob extends Omit<JobInput, 'recordId' | 'createdAt' | 'chargedTo' | 'startedBy' | 'webhookUrl'> {
  readonly workflow: JobWorkflow;
  readonly webhookUrl: string | undefined;
  /** Whether a job that runs is told of as a duplicate, and not joined. */
  readonly isRefusedWhilePending?: boolean;
  /** A success that answers, however old it is. */
  readonly success?: SuccessRecord | undefined;
}

/** A job on its way to be accepted. */
interface Candidate {
  readonly job: NewJob;
  /** Of the record, if it is this request that starts the job. */
  readonly recordId: string;
  readonly finished: DownloadRecord | undefined;
}

/**
 * The finished record of a subject, or a job for it: a new one, or the one that runs, which the webhook is then added to.
 * Only who starts a job pays for it.
 *
 * @throws ApiError `rate_limited`, `pending_duplicate`, `insufficient_credit`, `too_many_webhooks`, `unavailable`
 */
export async function startOrJoin(deps: ServiceDeps, caller: LimitedCaller, job: NewJob): Promise<Accepted> {
  await caller.admitJobs?.([job.subjectId]);
  const candidate = await candidateOf(deps, job);
  return accept(deps, caller, { ...candidate, isPaid: (await setAside(deps, caller, [candidate])).has(candidate) });
}

/** The same for two jobs of one request: when the key cannot pay what has to be started of them, none is. */
export async function startOrJoinBoth(
  deps: ServiceDeps,
  caller: LimitedCaller,
  jobs: readonly [NewJob, NewJob],
): Promise<readonly [Accepted, Accepted]> {
  await caller.admitJobs?.(jobs.map(({ subjectId }) => subjectId));
  const [one, other] = knowingEachOther(await candidateOf(deps, jobs[0]), await candidateOf(deps, jobs[1]));
  await claimPlaces(deps, caller, [one, other]);
  const paid = await setAside(deps, caller, [one, other]);
  const first = await accept(deps, caller, { ...one, isPaid: paid.has(one) }).catch(async (error: unknown) => {
    await release(deps, caller, other.recordId);
    throw error;
  });
  const second = await accept(deps, caller, { ...other, isPaid: paid.has(other) });
  await tellOfEnded(deps, caller, { both: [first, second], webhookUrl: jobs[0].webhookUrl });
  return [first, second];
}

/** The webhook of the one tells of the other too, which need not have been started when the one ends. */
function knowingEachOther(one: Candidate, other: Candidate): readonly [Candidate, Candidate] {
  const withOther = ({ job, ...rest }: Candidate, { recordId, finished }: Candidate): Candidate => ({
    ...rest,
    job: { ...job, parameters: { ...job.parameters, otherId: finished?.id ?? recordId } },
  });
  return [withOther(one, other), withOther(other, one)];
}

async function candidateOf(deps: ServiceDeps, job: NewJob): Promise<Candidate> {
  return { job, recordId: ulid(), finished: job.success ?? (await finishedRecord(deps, job.subjectId)) };
}

/** @returns the success of a subject that is answered without a new job */
async function finishedRecord(deps: ServiceDeps, subjectId: string): Promise<DownloadRecord | undefined> {
  const record = await deps.records.successOf(subjectId);
  return record !== undefined && (await isReusable(record, deps.files, deps.now())) ? record : undefined;
}

/** Of two jobs, one may run or have ended, and have no place for a further webhook: then the other must not be started first. */
async function claimPlaces(deps: ServiceDeps, caller: Caller, candidates: readonly Candidate[]): Promise<void> {
  if (candidates.every(({ finished }) => finished !== undefined)) return;
  for (const { job, finished } of candidates) {
    const { subjectId, webhookUrl } = job;
    if (webhookUrl === undefined) continue;
    const running = finished === undefined ? await deps.jobs.running(subjectId) : 'closed';
    const recordId = running === 'closed' ? finished?.id : running.running.recordId;
    if (recordId !== undefined) await claimPlace(deps, caller, { recordId, webhookUrl });
  }
}

/**
 * Sets the prices aside, as far as that is needed.
 *
 * @returns those that may be started, since nobody has to pay or the key can; the others can only be joined
 * @throws ApiError `insufficient_credit`
 */
async function setAside(
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

function holdOf({ recordId, job }: Candidate): Hold {
  return { recordId, subjectId: job.subjectId, amount: job.price };
}

/** Accepts a job whose price is set aside. What was set aside for a job that was not started is given back. */
async function accept(
  deps: ServiceDeps,
  caller: Caller,
  { job: asked, recordId, finished, isPaid }: Candidate & { readonly isPaid: boolean },
): Promise<Accepted> {
  const { workflow, webhookUrl, isRefusedWhilePending = false, success: _kept, ...job } = asked;
  const done = async (how: Accepted['how'], record: DownloadRecord): Promise<Accepted> => {
    if (caller.kind === 'key') await deps.keyDownloads.note(caller.key.id, record.id);
    return { how, record };
  };
  // Where nobody can tell whether the job was started, the hold stays: the job settles it, or a later look at it does.
  let mayRun = false;
  try {
    if (finished !== undefined) return await done('finished', finished);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const input: JobInput = {
        ...job,
        recordId,
        createdAt: nowMicroseconds(),
        startedBy: subscriberOf(caller),
        ...(caller.kind === 'key' ? { chargedTo: caller.key.id } : {}),
        ...(webhookUrl === undefined ? {} : { webhookUrl }),
      };
      mayRun = isPaid;
      const started = isPaid ? await deps.jobs.start(workflow, input) : await deps.jobs.running(job.subjectId);
      mayRun = started === 'started';
      // Whatever ran until now wrote its success before it closed: it must be visible by this read. The job that we
      // started then ends by itself, without a record.
      const justFinished = await finishedRecord(deps, job.subjectId);
      if (justFinished !== undefined) {
        mayRun = false;
        return await done('finished', justFinished);
      }
      if (started === 'started') {
        const record = await deps.records.insertIfAbsent(pendingRecordOf(input));
        // No worker need have begun it: whoever asks again must be known to poll.
        await deps.records.noteLatest(record);
        await noteTold(deps, caller, { recordId: record.id, webhookUrl });
        deps.log.info({ downloadId: record.id, subjectId: job.subjectId }, 'job accepted');
        return await done('started', record);
      }
      if (started === 'closed') {
        if (!isPaid) throw await insufficientCredit(deps, caller, job.price);
        continue;
      }
      // Its starter may not have come to writing the record yet, and our caller will ask for it.
      const record = await deps.records.insertIfAbsent(pendingRecordOf(started.running));
      if (record.status !== 'pending') {
        // It has ended its record and is about to close; what follows a failure is a new job.
        await deps.jobs.waitFor(job.subjectId, CLOSING_MS);
        continue;
      }
      if (isRefusedWhilePending) {
        const notTaken = webhookUrl === undefined ? '' : ' The webhook was not taken.';
        const message = `A pending download already exists for this video.${notTaken}`;
        throw new ApiError('pending_duplicate', message, { id: record.id });
      }
      const joined = { recordId: record.id, subjectId: job.subjectId, runId: started.runId, webhookUrl };
      // A job that has closed in between took no subscriber: look for its result.
      if (await subscribe(deps, caller, joined)) return await done('joined', record);
    }
    throw new ApiError('unavailable', 'The jobs of this subject end too quickly to join one. Try again.', {
      retryAfterSeconds: 5,
    });
  } finally {
    if (!mayRun) await release(deps, caller, recordId);
  }
}
