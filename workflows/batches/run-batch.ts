import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchStep } from '../../activities/batches/advance-batch.ts';
import type { ListingOrder } from '../../activities/batches/list-source.ts';
import type { BatchStatus, PauseReason } from '../../contract/batches/batch-state.ts';
import { deliveryIdOf } from '../../contract/http/webhook-delivery.ts';
import type { Failure } from '../../contract/failures.ts';
import { batches, listReaders } from '../activity-proxies.ts';
import { outcomeOf } from '../lifecycle/job-outcome.ts';
import { resumeSignal } from '../lifecycle/messages.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';

export interface BatchInput {
  readonly batchId: string;
  readonly startedBy: string;
  readonly webhookUrl?: string;
  /** The number of this webhook: each end of the batch sends one. */
  readonly end: number;
  /** Whether the failed items of an ended batch are started again. */
  readonly isRetry?: boolean;
  /** Whether the batch is only cancelled, because its workflow was gone. */
  readonly isCancelled?: boolean;
  /** The status in an earlier run. */
  readonly status?: BatchStatus;
  /** The number of events after which a new run takes over. Default: the server's suggestion. */
  readonly maxEvents?: number;
}

/** While nothing changes, the waits grow, so that an end is noticed late by no more than a fraction of the time since the last. */
const FIRST_WAIT_MS = 1_000;
const WAIT_GROWTH = 1.2;
const LONGEST_WAIT_MS = 10_000;
/** One of this many rounds also checks for jobs whose workflow is gone. */
const THOROUGH_EVERY = 20;

/**
 * Runs the items of a batch: a bounded number of jobs at once, in the order of the request. The items and their progress are
 * documents; the history holds sums only.
 */
export async function batch(input: BatchInput): Promise<BatchStatus> {
  const { batchId } = input;
  let status: BatchStatus = input.status ?? 'running';
  let resumes = 0;
  let seenResumes = 0;
  const isResumed = (): boolean => resumes > seenResumes;
  let isCancelled = status === 'cancelling' || input.isCancelled === true;
  let waitMs = FIRST_WAIT_MS;
  setHandler(resumeSignal, () => {
    resumes += 1;
  });
  const enter = async (
    next: BatchStatus,
    why: { readonly pause?: PauseReason; readonly failure?: Failure } = {},
  ): Promise<void> => {
    status = next;
    await batches.setBatchStatus({ batchId, status, ...why });
  };
  /** A cancellation is a request to the loop, which then cancels the items. */
  const uninterrupted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = await CancellationScope.nonCancellable(work);
    isCancelled ||= CancellationScope.current().consideredCancelled;
    return result;
  };
  const pauseFor = (ms?: number): Promise<void> =>
    (isCancelled ? CancellationScope.nonCancellable(() => waitFor(ms)) : waitFor(ms)).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
      isCancelled = true;
    });
  const waitFor = async (ms?: number): Promise<void> => {
    if (ms === undefined) await condition(isResumed);
    else await condition(isResumed, ms);
  };

  const end = async (last: BatchStatus, failure?: Failure): Promise<BatchStatus> => {
    await CancellationScope.nonCancellable(async () => {
      await enter(last, { ...(failure && { failure }) });
      await notify(input);
    });
    setCurrentDetails(`The batch is ${status}.`);
    return status;
  };

  if (input.status === undefined) {
    const isRetry = input.isRetry === true;
    const order = isCancelled ? undefined : await uninterrupted(() => batches.beginBatch({ batchId, isRetry }));
    const failure = order && !isCancelled ? await list(input, order) : undefined;
    isCancelled ||= failure?.code === 'cancelled';
    if (failure !== undefined && !isCancelled) return end('failed', failure);
    if (order !== undefined && !isCancelled) await uninterrupted(() => enter('running'));
  }
  for (let round = 1; ; round += 1) {
    if (isCancelled && status !== 'cancelling') await uninterrupted(() => enter('cancelling'));
    if (isResumed() && status === 'paused') await uninterrupted(() => enter('running'));
    seenResumes = resumes;
    const mode: BatchStep['mode'] = status === 'cancelling' ? 'cancel' : status === 'paused' ? 'hold' : 'start';
    const isThorough = round % THOROUGH_EVERY === 0;
    const advance = await uninterrupted(() => batches.advanceBatch({ batchId, mode, isThorough }));
    if (advance.isOver) break;
    const { blocked: pause } = advance;
    const isBlocked = advance.running === 0 && mode === 'start';
    if (pause !== undefined && isBlocked && !isCancelled) await uninterrupted(() => enter('paused', { pause }));
    setCurrentDetails(`The batch is ${status}: ${advance.running} jobs run.`);
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    const isStored = !isCancelled || status === 'cancelling';
    if (isStored && (continueAsNewSuggested || historyLength >= (input.maxEvents ?? Infinity))) {
      await continueAsNew<typeof batch>({ ...input, status });
    }
    const hasChanged = advance.changed > 0 && status !== 'paused';
    if (hasChanged) waitMs = FIRST_WAIT_MS;
    if (hasChanged || isResumed() || !isStored) continue;
    await pauseFor(status === 'paused' ? undefined : waitMs);
    waitMs = Math.min(LONGEST_WAIT_MS, Math.ceil(waitMs * WAIT_GROWTH));
  }
  return end(status === 'cancelling' ? 'cancelled' : 'finished');
}

/** Stores the entries of the list as items. @returns why that failed */
async function list({ batchId, startedBy }: BatchInput, order: ListingOrder): Promise<Failure | undefined> {
  const { outcome } = await outcomeOf(() =>
    listReaders({ ...order, startedBy }, `List ${order.url}`).listBatch({ batchId }),
  );
  return outcome.status === 'failed' ? outcome.failure : undefined;
}

async function notify({ batchId, webhookUrl: url, startedBy, end }: BatchInput): Promise<void> {
  if (url === undefined) return;
  const deliveryId = deliveryIdOf(batchId, end);
  await startDelivery({ deliveryId, recordId: batchId, url, subscribedBy: [startedBy] }, { about: `batch ${batchId}` });
}
