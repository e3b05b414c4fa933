import { ulid } from 'ulid';
import type { ApiDeps } from '../deps.ts';
import { acceptJob, finishedRecord, type Accepted, type Candidate, type NewJob } from './accept-job.ts';
import { insufficientCredit, release, reserve } from './credit.ts';
import { claimPlace } from './receivers.ts';

export type { NewJob } from './accept-job.ts';

/**
 * The finished record of a subject, or a job for it: a new one, or the one that runs, which the webhook is then added to.
 * Only who starts a job pays for it.
 *
 * @param onDuplicate called with the id of the job that runs, before anything is added to it; may throw to refuse
 * @throws ApiError `rate_limited`, `insufficient_credit`, `too_many_webhooks`, `unavailable`
 */
export async function startOrJoin(deps: ApiDeps, job: NewJob, onDuplicate?: (id: string) => void): Promise<Accepted> {
  await deps.caller.admitJobs?.([job.subjectId]);
  const candidate = await candidateOf(deps, job);
  await setAside(deps, [candidate]);
  return accept(deps, candidate, onDuplicate);
}

/** The same for two jobs of one request: when the key cannot pay what has to be started of them, none is. */
export async function startOrJoinBoth(
  deps: ApiDeps,
  one: NewJob,
  other: NewJob,
): Promise<readonly [Accepted, Accepted]> {
  await deps.caller.admitJobs?.([one.subjectId, other.subjectId]);
  const first = await candidateOf(deps, one);
  const second = await candidateOf(deps, other);
  await claimPlaces(deps, [first, second]);
  await setAside(deps, [first, second]);
  try {
    return [await accept(deps, first), await accept(deps, second)];
  } catch (error) {
    // The first is settled by now; the second may not have had its turn.
    if (second.state === 'waiting') await release(deps, second.recordId);
    throw error;
  }
}

async function candidateOf(deps: ApiDeps, job: NewJob): Promise<Candidate> {
  const finished = await finishedRecord(deps, job.subjectId);
  return { job, recordId: ulid(), finished, isPaid: true, state: 'waiting' };
}

/** Of two jobs, one may run and have no place for a further webhook: then the other must not be started first. */
async function claimPlaces(deps: ApiDeps, candidates: readonly Candidate[]): Promise<void> {
  for (const { job, finished } of candidates) {
    if (finished !== undefined || job.webhookUrl === undefined) continue;
    const running = await deps.jobs.running(job.subjectId);
    if (running !== 'closed') await claimPlace(deps, running.running.recordId, job.webhookUrl);
  }
}

/** Marks what can only be joined, since the key cannot pay for it. @throws ApiError `insufficient_credit` */
async function setAside(deps: ApiDeps, candidates: readonly Candidate[]): Promise<void> {
  const open = candidates.filter(({ finished }) => finished === undefined);
  if (await reserve(deps, open.map(holdOf))) return;
  // To join a job that runs costs nothing.
  const running = await Promise.all(open.map(({ job }) => deps.jobs.running(job.subjectId)));
  const toStart = open.filter((_candidate, index) => running[index] === 'closed');
  const isPaid = toStart.length < open.length && (await reserve(deps, toStart.map(holdOf)));
  if (!isPaid)
    throw await insufficientCredit(
      deps,
      toStart.reduce((sum, { job }) => sum + job.price, 0),
    );
  for (const candidate of open) candidate.isPaid = toStart.includes(candidate);
}

async function accept(deps: ApiDeps, candidate: Candidate, onDuplicate?: (id: string) => void): Promise<Accepted> {
  try {
    const accepted = await acceptJob(deps, candidate, onDuplicate);
    if (deps.caller.kind === 'key') await deps.asked.note(deps.caller.key.id, accepted.record.id);
    return accepted;
  } finally {
    // Where nobody can tell whether the job was started, the hold stays: the job settles it, or a later look at it does.
    if (candidate.state === 'not started') await release(deps, candidate.recordId);
  }
}

function holdOf({ recordId, job }: Candidate) {
  return { recordId, subjectId: job.subjectId, amount: job.price };
}
