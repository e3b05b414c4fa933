import { CancellationScope, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { JobResult } from '../../contract/download-record.ts';
import { NEWEST_JOB_VERSION, type JobInput } from '../../contract/job-input.ts';
import { failureAttribute } from '../../runtime/temporal/visibility.ts';
import { createUseUpstream, localRecords, type UseUpstream } from '../activity-proxies.ts';
import { notifySubscribers, Subscribers } from '../webhooks/job-subscribers.ts';
import { describeEnd, endOf, failureWith, outcomeOf, type JobEnd } from './job-outcome.ts';
import { untilDue } from './until-due.ts';
import { beginSignal, progressQuery, subscribeSignal, type JobProgress } from './messages.ts';

/**
 * The states of a job, which are those of its record and the same for all kinds:
 *
 * - (none) → `pending`: the record is created;
 * - `pending` → `success` or `failed`: the work has ended, also if it was cancelled;
 * - then the subscribers are notified.
 *
 * @param work the work of a kind, which uses upstreams by the activities of the given function. It may read the parameters of the
 *   input, which the first activity has checked.
 * @returns a summary for operators
 * @throws the cause of a failure, so that operators find failed and cancelled jobs by their status
 */
export async function runJob(input: JobInput, work: (useUpstream: UseUpstream) => Promise<JobResult>): Promise<JobEnd> {
  const { recordId, price, version } = input;
  // This does not fail the job: Temporal retries the task until a worker with the newer release takes it.
  if (version > NEWEST_JOB_VERSION) throw new Error(`A newer release started this job (version ${version}).`);
  const subscribers = new Subscribers();
  subscribers.add(input.webhookUrl, input.startedBy);
  let stage: JobProgress['stage'] = 'accepted';
  setHandler(subscribeSignal, (url, caller) => subscribers.add(url, caller));
  let isWantedNow = false;
  setHandler(beginSignal, () => {
    isWantedNow = true;
  });
  setHandler(progressQuery, () => ({ stage }));

  setCurrentDetails('Creating the record.');
  // A job that is cancelled before it begins has a record and subscribers, too.
  const claim = await CancellationScope.nonCancellable(() => localRecords.beginJob(input));
  if (claim === 'done') {
    setCurrentDetails('An earlier job of this subject has just succeeded, so there is nothing to do.');
    return { recordId, status: 'done before' };
  }

  stage = 'working';
  const useUpstream = createUseUpstream(claim.routes, input.chargedTo ?? input.startedBy);
  const { outcome, cause } = await outcomeOf(async () => {
    await untilDue(input, () => isWantedNow);
    return work(useUpstream);
  });

  stage = 'notifying';
  const webhooks = await CancellationScope.nonCancellable(async () => {
    setCurrentDetails('Finishing the record.');
    await localRecords.finishJob({ recordId, outcome, price });
    setCurrentDetails('Starting the webhooks, each in a workflow of its own.');
    return notifySubscribers(input, subscribers);
  });

  const end = endOf(input, outcome, webhooks);
  setCurrentDetails(describeEnd(end));
  if (outcome.status === 'success') return end;
  // A success has no such attribute, which saves an event.
  upsertSearchAttributes(failureAttribute(outcome.failure.code));
  throw failureWith(cause, outcome.failure, end);
}
