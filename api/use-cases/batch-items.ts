import type { BatchItemRequest } from '../../contract/batches/batch-item.ts';
import type { AcceptedItem, BatchItem, ItemOrder } from '../../contract/batches/item-order.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { toApiError } from '../http/to-api-error.ts';
import type { AcceptDeps, PlanDeps } from '../service-deps.ts';
import { planImgnetAudio, planImgnetContent, planImgnetProfile } from './imgnet-requests.ts';
import { planMedia } from './media.ts';
import { orderOf, type JobPlan } from './request-job.ts';
import { startOrJoin } from './start-or-join.ts';
import { planTranscript } from './transcripts.ts';
import { planChannel, planDownload } from './vidnet-requests.ts';

/** @returns the job that an item means, by the plan of its single request; throws ApiError as that does */
export async function planOf(deps: PlanDeps, request: BatchItemRequest): Promise<JobPlan> {
  switch (request.operation) {
    case 'requestAudio':
      return planDownload(deps, 'audio', request.vidnet_video_id);
    case 'requestVideo':
      return planDownload(deps, 'vidnet_video', request.vidnet_video_id);
    case 'requestMedia':
      return planMedia(deps, request);
    case 'requestTranscript':
      return planTranscript(deps, request);
    case 'requestChannel':
      return planChannel(deps, request);
    case 'requestImgnetProfile':
      return planImgnetProfile(deps, request);
    case 'requestImgnetContent':
      return planImgnetContent(deps, request);
    case 'requestImgnetAudio':
      return planImgnetAudio(deps, request);
  }
}

/**
 * Plans an item without reading records, because ten thousand reads would take too long. So a channel keeps the name of the
 * request, and the price of a post includes that of its owner's profile.
 */
export async function itemOf(deps: PlanDeps, request: BatchItemRequest): Promise<BatchItem> {
  const records: PlanDeps['records'] = {
    canonicalOf: (subjectId) => Promise.resolve(subjectId),
    ownerOf: () => Promise.resolve(undefined),
    successOf: () => Promise.resolve(undefined),
  };
  const { subjectId, price } = await planOf({ ...deps, records }, request);
  return { request, subjectId, price };
}

/** Accepts an item of a batch, or a request by Nexus. A running job is joined, also where a single request is refused. */
export async function acceptItem(deps: AcceptDeps & PlanDeps, order: ItemOrder): Promise<AcceptedItem> {
  const { caller, item, webhookUrl, ...ids } = order;
  try {
    const plan = await planOf(deps, item.request);
    const order = orderOf({ ...item.request, include_webhook: webhookUrl });
    const shared = {
      isRefusedWhilePending: false,
      ...(ids.batchId !== undefined && { endsWithStarter: true as const }),
    };
    const job = { ...plan, ...order, ...ids, ...shared };
    return { kind: 'accepted', record: (await startOrJoin(deps, caller, job)).record };
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : toApiError(thrown);
    const { code, message, extras } = error;
    if (code === 'insufficient_credit') return { kind: 'unpaid' };
    // Without a time, the service is unavailable because of its settings.
    if (code === 'unavailable' && extras.retryAfterSeconds !== undefined) return { kind: 'busy' };
    if (code === 'internal') throw thrown;
    return { kind: 'refused', failure: { code, message } };
  }
}
