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
} from '@temporalio/workflow';
import type { Claim } from '../activities/records.ts';
import { NEWEST_JOB_VERSION, type JobInput } from '../contract/jobs.ts';
import { optional } from '../runtime/optional.ts';
import type { Waiting } from '../runtime/pacing.ts';
import type { JobOutcome, JobResult } from '../contract/records.ts';
import { failureAttribute, webhookAttributesOf } from '../runtime/visibility.ts';
import { deliveryIdOf, deliveryPriorityOf, receiverHostOf } from '../contract/webhooks.ts';
import { localRecords } from './activities.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { progressQuery, subscribeSignal, type JobProgress } from './messages.ts';
import { endOf, tellEnd, type JobEnd } from './job-end.ts';
import { CANCELLED, failureOf, failureWith } from './outcome.ts';
import { Subscribers } from './subscribers.ts';
import { createUpstreams } from './upstreams.ts';
import type { UseUpstream } from './use-upstream.ts';
import { createRetryWhenDiskFull } from './retry-when-disk-full.ts';
import { createWaitingDisplay } from './displays.ts';

/** For work that uses no platform. */
export interface OwnWork {
  /** Told that another server did not do its part, and that the job tries again. */
  readonly onUpstreamFailure: (message: string) => void;
  /** Does work that may find the disk full, and waits until there is space. */
  readonly retryWhenDiskFull: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * What all jobs share: claim the subject, work, finish the record once, notify the subscribers.
 *
 * @param work what is special about a kind of job; it uses the platforms by the function that it is handed
 * @returns what came of it, for operators; the record says more
 * @throws what ended the work, so that operators find failed and cancelled jobs by their status
 */
export async function runJob(
  input: JobInput,
  work: (useUpstream: UseUpstream, own: OwnWork) => Promise<JobResult>,
): Promise<JobEnd> {
  const { recordId, price, version } = input;
  // This does not fail the job: Temporal retries the task until a worker of a release that knows these steps takes it.
  if (version > NEWEST_JOB_VERSION) throw new Error(`A newer release started this job (version ${version}).`);
  const subscribers = new Subscribers();
  subscribers.add(input.webhookUrl, input.startedBy);
  let progress: JobProgress = { stage: 'accepted', upstreamRefusals: 0 };
  setHandler(subscribeSignal, (url, caller) => subscribers.add(url, caller));
  setHandler(progressQuery, () => progress);
  const showWaiting = createWaitingDisplay();
  const show = (waiting: Waiting | undefined): void => {
    const { waiting: _past, ...rest } = progress;
    progress = waiting === undefined ? rest : { ...rest, stage: 'waiting', waiting };
    showWaiting(waiting);
  };
  const onUpstreamFailure = (lastRefusal: string, stage: JobProgress['stage']): void => {
    progress = { ...progress, stage, upstreamRefusals: progress.upstreamRefusals + 1, lastRefusal };
  };
  const events = {
    onWork: () => void (progress = { ...progress, stage: 'working' }),
    onUpstreamFailure,
    onShortage: show,
  };

  // Cancelled before it began, a job still has a record that says so, and subscribers who wait for it.
  setCurrentDetails('Noting the job on its record.');
  const claim = await CancellationScope.nonCancellable<Claim>(() => localRecords.beginJob(input));
  if (claim === 'done') {
    setCurrentDetails('An earlier job of this subject had just succeeded: there was nothing to do.');
    return { recordId, status: 'done before' };
  }
  const useUpstream = createUpstreams(input, claim.routes, { ...events, ...optional('pauses', claim.pauses) });

  let outcome: JobOutcome;
  let problem: TemporalFailure | undefined;
  try {
    const result = await work(useUpstream, {
      onUpstreamFailure: (message) => onUpstreamFailure(message, 'backing-off'),
      retryWhenDiskFull: createRetryWhenDiskFull(show),
    });
    outcome = { status: 'success', result };
  } catch (error) {
    // Anything else is a bug of ours: the task is tried again after the next deploy, and the job goes on.
    if (!(error instanceof TemporalFailure)) throw error;
    problem = error;
    // However its last step took the cancellation, the job was cancelled: what it costs must not depend on that.
    const isCancelled = CancellationScope.current().consideredCancelled;
    outcome = { status: 'failed', failure: isCancelled ? CANCELLED : failureOf(error) };
  }

  progress = { ...progress, stage: 'notifying' };
  let webhooks = 0;
  await CancellationScope.nonCancellable(async () => {
    setCurrentDetails('Ending the record.');
    await localRecords.finishJob({ recordId, outcome, price });
    setCurrentDetails('Starting the webhooks, each a workflow of its own.');
    webhooks = await notify(input, subscribers);
  });
  const end = endOf(input, outcome, webhooks);
  setCurrentDetails(tellEnd(end));
  if (outcome.status === 'success' || problem === undefined) return end;
  // Only a failure has this attribute, so that a success costs no further event.
  upsertSearchAttributes(failureAttribute(outcome.failure.code));
  throw failureWith(problem, outcome.failure, end);
}

/**
 * Starts a webhook for each subscriber. One may arrive while another is being notified, so this goes on until none is left and
 * no signal is being handled.
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
