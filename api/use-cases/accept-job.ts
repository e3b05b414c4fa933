import { ApiError } from '../../contract/errors.ts';
import { pendingRecordOf, type JobInput } from '../../contract/jobs.ts';
import type { JobWorkflow } from '../../contract/kinds.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { nowMicroseconds } from '../../store/clock.ts';
import { isReusable } from '../../store/reuse.ts';
import type { ApiDeps } from '../deps.ts';
import { insufficientCredit } from './credit.ts';
import { subscriberOf } from './own-deliveries.ts';
import { noteFirst, subscribe } from './receivers.ts';

/** A subject whose jobs keep ending between two looks is asked for again this often. */
const MAX_TRIES = 5;
/**
 * A job that has ended its record starts its webhooks, gives back its turn and closes, within milliseconds. On a machine with
 * ten times the load that it can bear, one took more than 10 s.
 */
const CLOSING_MS = 5_000;

export interface NewJob extends Omit<JobInput, 'recordId' | 'createdAt' | 'chargedTo' | 'startedBy'> {
  readonly workflow: JobWorkflow;
}

/** `finished`: a success that is still good, nothing was started; `joined`: a job of the subject runs already. */
export interface Accepted {
  readonly how: 'finished' | 'started' | 'joined';
  readonly record: DownloadRecord;
}

/** A job on its way to be accepted. */
export interface Candidate {
  readonly job: NewJob;
  /** Of the record, if it is this request that starts the job. */
  readonly recordId: string;
  readonly finished: DownloadRecord | undefined;
  /** Whether its price is set aside, or nobody has to pay; without that it can only be joined. */
  isPaid: boolean;
  /** `starting`: Temporal was asked to start it, and may have done so; `not started`: nothing of it runs. */
  state: 'waiting' | 'starting' | 'not started';
}

/** Accepts a job whose price is set aside, as far as that is needed. Leaves its state in the candidate. */
export async function acceptJob(
  deps: ApiDeps,
  candidate: Candidate,
  onDuplicate: (id: string) => void = () => undefined,
): Promise<Accepted> {
  candidate.state = 'not started';
  const { finished, isPaid, recordId } = candidate;
  if (finished !== undefined) return { how: 'finished', record: finished };
  const { workflow, ...job } = candidate.job;
  const payer = deps.caller.kind === 'key' ? { chargedTo: deps.caller.key.id } : {};
  const starter = { startedBy: subscriberOf(deps.caller) };

  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const input: JobInput = { ...job, ...payer, ...starter, recordId, createdAt: nowMicroseconds() };
    if (isPaid) candidate.state = 'starting';
    const started = isPaid ? await deps.jobs.start(workflow, input) : await deps.jobs.running(job.subjectId);
    if (started !== 'started') candidate.state = 'not started';
    // Whatever ran until now wrote its success before it closed: it must be visible by this read. The job that we
    // started then ends by itself, without a record.
    const justFinished = await finishedRecord(deps, job.subjectId);
    if (justFinished !== undefined) {
      candidate.state = 'not started';
      return { how: 'finished', record: justFinished };
    }
    if (started === 'started') {
      const record = await deps.records.insertIfAbsent(pendingRecordOf(input));
      await noteFirst(deps, record.id, job.webhookUrl);
      deps.log.info({ downloadId: record.id, subjectId: job.subjectId }, 'job accepted');
      return { how: 'started', record };
    }
    if (started !== 'closed') {
      // Its starter may not have come to writing the record yet, and our caller will ask for it.
      const record = await deps.records.insertIfAbsent(pendingRecordOf(started.running));
      if (record.status !== 'pending') {
        // It has ended its record and is about to close; what follows a failure is a new job.
        await deps.jobs.waitFor(job.subjectId, CLOSING_MS);
        continue;
      }
      onDuplicate(record.id);
      const joined = { recordId: record.id, subjectId: job.subjectId, runId: started.runId };
      // A job that has closed in between took no subscriber: look for its result.
      if (await subscribe(deps, joined, job.webhookUrl)) return { how: 'joined', record };
    } else if (!isPaid) {
      throw await insufficientCredit(deps, job.price);
    }
  }
  throw new ApiError('unavailable', 'The jobs of this subject end too quickly to join one. Try again.', {
    retryAfterSeconds: 5,
  });
}

/** @returns the success of a subject that is answered without a new job */
export async function finishedRecord(deps: ApiDeps, subjectId: string): Promise<DownloadRecord | undefined> {
  const record = await deps.records.successOf(subjectId);
  return record !== undefined && (await isReusable(record, deps.files, deps.now())) ? record : undefined;
}
