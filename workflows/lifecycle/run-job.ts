import { failureFor } from '../../contract/failures.ts';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  startChild,
  TemporalFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { NEWEST_JOB_VERSION, type JobInput } from '../../contract/job-input.ts';
import type { JobOutcome, JobResult } from '../../contract/download-record.ts';
import { failureAttribute, webhookAttributesOf } from '../../runtime/temporal/visibility.ts';
import { deliveryIdOf, deliveryPriorityOf, receiverHostOf } from '../../contract/http/webhook-delivery.ts';
import { createUpstreamOptions } from '../../pacing/upstream-options.ts';
import type { UpstreamUse } from '../../pacing/routes.ts';
import { fetchActivities, localRecords } from '../activity-proxies.ts';
import { deliverWebhook } from '../webhooks/deliver-webhook.ts';
import { progressQuery, subscribeSignal, type JobProgress } from './messages.ts';
import { endOf, describeEnd, type JobEnd } from './job-end.ts';
import { failureOf, failureWith, routeOfTimeout } from './job-outcome.ts';
import { Subscribers } from '../webhooks/job-subscribers.ts';

/** @returns activities that use an upstream, each call for one of them; those that are not `paced` take no slot of its route */
export type UseUpstream = (
  use: UpstreamUse,
  summary: string,
  how?: 'paced' | 'beside',
) => ReturnType<typeof fetchActivities>;

/**
 * What all jobs share: claim the subject, work, finish the record once, notify the subscribers.
 *
 * @param work what is special about a kind of job; it uses the platforms by the activities of the function that it is handed
 * @returns what came of it, for operators; the record says more
 * @throws what ended the work, so that operators find failed and cancelled jobs by their status
 */
export async function runJob(input: JobInput, work: (useUpstream: UseUpstream) => Promise<JobResult>): Promise<JobEnd> {
  const { recordId, price, version } = input;
  // This does not fail the job: Temporal retries the task until a worker of a release that knows these steps takes it.
  if (version > NEWEST_JOB_VERSION) throw new Error(`A newer release started this job (version ${version}).`);
  const subscribers = new Subscribers();
  subscribers.add(input.webhookUrl, input.startedBy);
  let progress: JobProgress = { stage: 'accepted' };
  setHandler(subscribeSignal, (url, caller) => subscribers.add(url, caller));
  setHandler(progressQuery, () => progress);

  // Cancelled before it began, a job still has a record that says so, and subscribers who wait for it.
  setCurrentDetails('Noting the job on its record.');
  const claim = await CancellationScope.nonCancellable(() => localRecords.beginJob(input));
  if (claim === 'done') {
    setCurrentDetails('An earlier job of this subject had just succeeded: there was nothing to do.');
    return { recordId, status: 'done before' };
  }
  progress = { stage: 'working' };
  const optionsOf = createUpstreamOptions({
    taskQueue: workflowInfo().taskQueue,
    fairnessKey: input.chargedTo ?? input.startedBy,
    routes: claim.routes,
  });

  let outcome: JobOutcome;
  let problem: TemporalFailure | undefined;
  try {
    const result = await work((use, summary, how = 'paced') => {
      const options = optionsOf(use, how === 'paced');
      setCurrentDetails(`${summary}, as the pending activity ${options.activityId}.`);
      return fetchActivities(summary, options);
    });
    outcome = { status: 'success', result };
  } catch (error) {
    // Anything else is a bug of ours: the task is tried again after the next deploy, and the job goes on.
    if (!(error instanceof TemporalFailure)) throw error;
    problem = error;
    // However its last step took the cancellation, the job was cancelled: what it costs must not depend on that.
    const isCancelled = CancellationScope.current().consideredCancelled;
    const route = routeOfTimeout(error);
    const failure = isCancelled || route === undefined ? failureOf(error) : await localRecords.refusalOf({ route });
    outcome = { status: 'failed', failure: isCancelled ? failureFor('cancelled') : failure };
  }

  progress = { stage: 'notifying' };
  let webhooks = 0;
  await CancellationScope.nonCancellable(async () => {
    setCurrentDetails('Ending the record.');
    await localRecords.finishJob({ recordId, outcome, price });
    setCurrentDetails('Starting the webhooks, each a workflow of its own.');
    webhooks = await notify(input, subscribers);
  });
  const end = endOf(input, outcome, webhooks);
  setCurrentDetails(describeEnd(end));
  if (outcome.status === 'success' || problem === undefined) return end;
  // Only a failure has this attribute, so that a success costs no further event.
  upsertSearchAttributes(failureAttribute(outcome.failure.code));
  throw failureWith(problem, outcome.failure, end);
}

/**
 * A subscriber may arrive while an earlier one is being notified: goes on until none is left.
 *
 * @returns how many there were
 */
async function notify(job: JobInput, subscribers: Subscribers): Promise<number> {
  const { recordId } = job;
  for (let webhooks = 0; ;) {
    const next = subscribers.take();
    if (next !== undefined) {
      webhooks += 1;
      const { url, subscribedBy } = next;
      const deliveryId = deliveryIdOf(recordId, next.number);
      try {
        // Awaited until it has started: a parent that closes earlier takes the child with it.
        await startChild(deliverWebhook, {
          workflowId: deliveryId,
          args: [{ deliveryId, recordId, url, subscribedBy }],
          parentClosePolicy: ParentClosePolicy.ABANDON,
          cancellationType: ChildWorkflowCancellationType.ABANDON,
          // Its activities inherit it.
          priority: deliveryPriorityOf(url),
          typedSearchAttributes: webhookAttributesOf({ recordId, url, subscribedBy }, job),
          staticSummary: `Webhook of download ${recordId}`,
          staticDetails: `To ${receiverHostOf(url)}, of the job ${job.subjectId}`,
        });
      } catch (error) {
        // An operator has reset the job, and its webhook still runs: it tells the receiver, and nothing is left to be started.
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    } else if (allHandlersFinished()) {
      return webhooks;
    } else {
      await condition(allHandlersFinished);
    }
  }
}
