import type { Caller } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import { JOB_VERSION, pendingRecordOf, type JobInput } from '../../contract/jobs.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { nowMicroseconds } from '../../store/clock.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { AcceptTurn } from '../accept-turns.ts';
import type { ServiceDeps } from '../deps.ts';
import type { RunningJob } from '../jobs.ts';
import { insufficientCredit, release } from './account.ts';
import {
  admit,
  candidateOf,
  claimPlaces,
  holdOf,
  ifReusable,
  knowingEachOther,
  setAside,
  type Candidate,
  type NewJob,
} from './candidates.ts';
import { tellOfEnded, type Accepted } from './follow.ts';
import { subscribe, subscriberOf } from './subscribers.ts';

/** A subject whose jobs keep ending between two looks is asked for again this often. */
const MAX_TRIES = 5;
/**
 * A job that has ended its record starts its webhooks, gives back its turn and closes, within milliseconds. On a machine with
 * ten times the load that it can bear, one took more than 10 s.
 */
const CLOSING_MS = 5_000;

/**
 * The finished record of a subject, or a job for it: a new one, or the one that runs, which the webhook is then added to.
 * Only who starts a job pays for it.
 *
 * @throws ApiError `rate_limited`, `pending_duplicate`, `insufficient_credit`, `too_many_webhooks`, `unavailable`
 */
export async function startOrJoin(deps: ServiceDeps, caller: LimitedCaller, job: NewJob): Promise<Accepted> {
  return deps.acceptTurns.inTurn(async (turn) => {
    const candidate = await candidateOf(deps, job);
    await admit(caller, [candidate]);
    return accept(deps, caller, { candidate, turn });
  });
}

/** The same for two jobs of one request: when the key cannot pay what has to be started of them, none is. */
export async function startOrJoinBoth(
  deps: ServiceDeps,
  caller: LimitedCaller,
  jobs: readonly [NewJob, NewJob],
): Promise<readonly [Accepted, Accepted]> {
  return deps.acceptTurns.inTurn(async (turn) => {
    const [one, other] = knowingEachOther(
      ...(await Promise.all([candidateOf(deps, jobs[0]), candidateOf(deps, jobs[1])])),
    );
    await admit(caller, [one, other]);
    await claimPlaces(deps, caller, [one, other]);
    const paid = await setAside(deps, caller, [one, other]);
    const first = await accept(deps, caller, { candidate: one, turn, wasPaid: paid.has(one) }).catch(
      async (error: unknown) => {
        if (paid.has(other)) await release(deps, caller, holdOf(other));
        throw error;
      },
    );
    const second = await accept(deps, caller, { candidate: other, turn, wasPaid: paid.has(other) });
    await tellOfEnded(deps, caller, { both: [first, second], webhookUrl: jobs[0].webhookUrl });
    return [first, second];
  });
}

/**
 * Accepts a job. What was set aside for a job that was not started is given back.
 *
 * @param asked.wasPaid whether its price is set aside; where that is not said, it will be when the job is to be started
 */
async function accept(
  deps: ServiceDeps,
  caller: Caller,
  asked: { readonly candidate: Candidate; readonly turn: AcceptTurn; readonly wasPaid?: boolean },
): Promise<Accepted> {
  const { candidate, turn } = asked;
  const { recordId, latest, finished } = candidate;
  const { subjectId, webhookUrl } = candidate.job;
  const { records, jobs } = deps;
  const noteAsked = async (id: string) => {
    if (caller.kind === 'key') await deps.keyDownloads.note(caller.key.id, id);
  };
  const done = async (how: Accepted['how'], record: DownloadRecord): Promise<Accepted> => {
    await noteAsked(record.id);
    deps.feeds.accepted(caller, record);
    return { how, record };
  };
  let isPaid = asked.wasPaid;
  let { successId } = candidate;
  /** The success of the subject, if it came after the last look at it. */
  const newlyFinished = async (id: string | undefined): Promise<DownloadRecord | undefined> => {
    if (id === undefined || id === successId) return undefined;
    successId = id;
    return ifReusable(deps, await records.get(id));
  };
  // Where nobody can tell whether the job was started, the hold stays: the job settles it, or a later look at it does.
  const begun = { mayRun: false };
  const start = async (): Promise<Accepted | 'closed' | RunningJob> => {
    const input = inputOf(caller, candidate);
    begun.mayRun = true;
    const started = await jobs.start(candidate.job.workflow, input, { delayMs: turn.startDelayMs() });
    begun.mayRun = started === 'started';
    if (started !== 'started') return started;
    // Whatever ran until now wrote its success before it closed: it must be visible by this change. The job that we started
    // then ends by itself, without a record. No worker need have begun it: whoever asks again must be known to poll.
    const justFinished = await newlyFinished(await records.noteLatest({ subjectId, id: recordId }));
    if (justFinished !== undefined) {
      begun.mayRun = false;
      await records.noteLatest(justFinished);
      return done('finished', justFinished);
    }
    const [record] = await Promise.all([records.insertIfAbsent(pendingRecordOf(input)), noteAsked(recordId)]);
    deps.feeds.accepted(caller, record);
    deps.log.info({ downloadId: recordId, subjectId }, 'job accepted');
    return { how: 'started', record };
  };
  /** @returns undefined when it has ended */
  const join = async ({ running, runId }: RunningJob): Promise<Accepted | undefined> => {
    const [success, known] = await Promise.all([records.successOf(subjectId), records.get(running.recordId)]);
    const justFinished = await newlyFinished(success?.id);
    if (justFinished !== undefined) return done('finished', justFinished);
    // Its starter may not have come to writing the record yet, and our caller will ask for it.
    const record = known ?? (await records.insertIfAbsent(pendingRecordOf(running)));
    if (record.status !== 'pending') {
      // It has ended its record and is about to close; what follows a failure is a new job.
      await turn.aside(() => jobs.waitFor({ subjectId, runId }, CLOSING_MS));
      return undefined;
    }
    if (candidate.job.isRefusedWhilePending === true) {
      const notTaken = webhookUrl === undefined ? '' : ' The webhook was not taken.';
      const message = `A pending download already exists for this video.${notTaken}`;
      throw new ApiError('pending_duplicate', message, { id: record.id });
    }
    // A job that has closed in between took no subscriber: look for its result.
    const joined = { recordId: record.id, subjectId, runId, webhookUrl, startedWith: record };
    return (await subscribe(deps, caller, joined)) ? done('joined', record) : undefined;
  };
  try {
    if (finished !== undefined) return await done('finished', finished);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // Whoever polls a job that runs only joins it: nothing is set aside and given back.
      const isPoll = tries === 0 && isPaid === undefined && latest?.status === 'pending';
      let met: Accepted | 'closed' | RunningJob = isPoll ? await jobs.running(subjectId) : 'closed';
      if (met === 'closed') {
        const ended = isPoll ? await newlyFinished((await records.successOf(subjectId))?.id) : undefined;
        if (ended !== undefined) return await done('finished', ended);
        isPaid ??= (await setAside(deps, caller, [candidate])).has(candidate);
        met = isPaid ? await start() : await jobs.running(subjectId);
      }
      if (met === 'closed') {
        if (!isPaid) throw await insufficientCredit(deps, caller, candidate.job.price);
        continue;
      }
      const accepted = 'how' in met ? met : await join(met);
      if (accepted !== undefined) return accepted;
    }
    throw new ApiError('unavailable', 'The jobs of this subject end too quickly to join one. Try again.', {
      retryAfterSeconds: 5,
    });
  } finally {
    if (isPaid === true && !begun.mayRun) await release(deps, caller, holdOf(candidate));
  }
}

function inputOf(caller: Caller, { recordId, job: asked }: Candidate): JobInput {
  const { workflow: _own, isRefusedWhilePending: _too, success: _kept, webhookUrl, ...job } = asked;
  return {
    ...job,
    version: JOB_VERSION,
    recordId,
    createdAt: nowMicroseconds(),
    startedBy: subscriberOf(caller),
    ...(caller.kind === 'key' ? { chargedTo: caller.key.id } : {}),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
  };
}
