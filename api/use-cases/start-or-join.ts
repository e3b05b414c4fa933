import { ulid } from 'ulid';
import { ApiError } from '../../contract/errors.ts';
import { pendingRecordOf, type JobInput } from '../../contract/jobs.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { nowMicroseconds } from '../../store/clock.ts';
import { isReusable } from '../../store/reuse.ts';
import type { ApiDeps } from '../deps.ts';
import type { JobWorkflow } from '../jobs.ts';

/** A subject whose jobs keep ending between two looks is asked for again this often. */
const MAX_TRIES = 5;
/** A job that has ended its record starts its webhooks, gives back its turn and closes, within milliseconds. */
const CLOSING_MS = 2_000;

export interface NewJob extends Omit<JobInput, 'recordId' | 'createdAt'> {
  readonly workflow: JobWorkflow;
}

/** `finished`: a success that is still good, nothing was started; `joined`: a job of the subject runs already. */
export interface Accepted {
  readonly how: 'finished' | 'started' | 'joined';
  readonly record: DownloadRecord;
}

/**
 * The finished record of a subject, or a job for it: a new one, or the one that runs, which the webhook is then added to.
 *
 * @param onDuplicate called with the id of the job that runs, before anything is added to it; may throw to refuse
 * @throws ApiError `unavailable`
 */
export async function startOrJoin(
  deps: ApiDeps,
  { workflow, ...job }: NewJob,
  onDuplicate: (id: string) => void = () => undefined,
): Promise<Accepted> {
  const finished = await finishedRecord(deps, job.subjectId);
  if (finished !== undefined) return { how: 'finished', record: finished };

  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const input: JobInput = { ...job, recordId: ulid(), createdAt: nowMicroseconds() };
    const started = await deps.jobs.start(workflow, input);
    // Whatever ran until now wrote its success before it closed: it must be visible by this read. The job that we
    // started then ends by itself, without a record.
    const justFinished = await finishedRecord(deps, job.subjectId);
    if (justFinished !== undefined) return { how: 'finished', record: justFinished };
    if (started === 'started') {
      const record = await deps.records.insertIfAbsent(pendingRecordOf(input));
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
      if (job.webhookUrl === undefined) return { how: 'joined', record };
      const subscribed = await deps.jobs.subscribe({ subjectId: job.subjectId, runId: started.runId }, job.webhookUrl);
      // A job that has closed in between took no subscriber: look for its result.
      if (subscribed) return { how: 'joined', record };
    }
  }
  throw new ApiError('unavailable', 'The jobs of this subject end too quickly to join one. Try again.', {
    retryAfterSeconds: 5,
  });
}

async function finishedRecord(deps: ApiDeps, subjectId: string): Promise<DownloadRecord | undefined> {
  const record = await deps.records.successOf(subjectId);
  return record !== undefined && (await isReusable(record, deps.files, deps.now())) ? record : undefined;
}
