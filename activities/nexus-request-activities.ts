import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import { batchItemSchema } from '../contract/batches/batch-item.ts';
import { failureFor } from '../contract/failures.ts';
import type { RecordContext } from '../contract/kinds/kind.ts';
import { renderDownload, type DownloadResult } from '../contract/kinds/kinds.ts';
import { endedRecord, type AwaitedAudioDeps } from './awaited-audio.ts';
import type { BatchListingDeps } from './batches/list-batch.ts';
import type { PieceDeps } from './batches/open-piece.ts';
import { retryLater } from './retry-later.ts';

export interface NexusRequest {
  /** The ID of the record, if this request starts the job. */
  readonly recordId: string;
  /** As the caller sent it: an item of a batch. */
  readonly request: z.input<typeof batchItemSchema>;
}

type NexusRequestDeps = Pick<PieceDeps, 'acceptItem' | 'cancelItem'> &
  Pick<BatchListingDeps, 'planItem'> &
  Pick<AwaitedAudioDeps, 'records' | 'endIfGone'> & { readonly rendering: RecordContext };

/** The jobs that workflows of other namespaces request. All activities are idempotent. */
export function createNexusRequestActivities(deps: NexusRequestDeps) {
  const { records, rendering } = deps;
  return {
    /** Starts or joins the job, as an item of a batch does. @returns the ID of its record */
    acceptNexusRequest: async ({ recordId, request: sent }: NexusRequest): Promise<string> => {
      // If an earlier attempt has started the job, another request for its subject may be a new job.
      if ((await records.get(recordId)) !== undefined) return recordId;
      const request = batchItemSchema.parse(sent);
      const item = await deps.planItem(request);
      const webhookUrl = request.include_webhook;
      const answer = await deps.acceptItem({ caller: { kind: 'service' }, item, recordId, webhookUrl });
      if (answer.kind === 'accepted') return answer.record.id;
      if (answer.kind !== 'refused') throw retryLater('internal', 'The service cannot accept the job at the moment.');
      throw ApplicationFailure.nonRetryable(answer.failure.message, answer.failure.code);
    },

    /** Polls once whether the job has ended. @returns its record, as GET /downloads/{downloadId} shows it */
    awaitNexusRecord: async (id: string): Promise<DownloadResult> => {
      const record = await endedRecord(deps, id, 'The job is running.');
      if (record !== undefined) return renderDownload(record, rendering);
      const { code, message } = failureFor('lostInRestore');
      throw ApplicationFailure.nonRetryable(message, code);
    },

    /** Cancels the job if this request has started it. */
    cancelNexusJob: async (recordId: string): Promise<void> => {
      const record = await records.get(recordId);
      if (record?.status === 'pending') await deps.cancelItem(record);
    },
  };
}
