import { z } from 'zod';
import * as answers from '../../contract/batches/batch-answers.ts';
import { batchItemsQuerySchema, batchRequestSchema, resumeBatchSchema } from '../../contract/batches/batch-request.ts';
import { BATCH_ARCHIVE } from '../../contract/batches/batch-state.ts';
import { pageQuerySchema } from '../../contract/http/fields.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { BATCH_BODY_MAX_BYTES } from '../../contract/request-limits.ts';
import { archiveBatch } from '../use-cases/batch-archive.ts';
import { followBatch } from '../use-cases/follow-batch.ts';
import * as batches from '../use-cases/batches.ts';
import { operation } from './operation.ts';

const OF_BATCH = {
  params: z.object({ batchId: ulidSchema }),
  unknown: { batchId: 'There is no batch with this id.' },
} as const;

export const batchOperations = {
  createBatch: operation('POST /api/batches', {
    rpc: 'batches.create',
    tool: 'create_batch',
    summary: 'Start many jobs by one request',
    body: batchRequestSchema,
    maxBodyBytes: BATCH_BODY_MAX_BYTES,
    answers: { 202: { description: 'The batch was started', schema: answers.batchSchema } },
    errors: ['webhook_target_forbidden'],
    run: batches.createBatch,
  }),
  listBatches: operation('GET /api/batches', {
    rpc: 'batches.list',
    tool: 'list_batches',
    summary: 'List batches, newest first',
    query: pageQuerySchema,
    answers: { 200: { description: 'A page of batches', schema: answers.batchListSchema } },
    run: batches.listBatches,
  }),
  getBatch: operation('GET /api/batches/{batchId}', {
    rpc: 'batches.get',
    tool: 'get_batch',
    summary: 'Get the progress of a batch',
    ...OF_BATCH,
    answers: { 200: { description: 'The batch', schema: answers.batchSchema } },
    run: batches.getBatch,
  }),
  listBatchItems: operation('GET /api/batches/{batchId}/items', {
    rpc: 'batches.items',
    tool: 'list_batch_items',
    summary: 'List the items of a batch with their records',
    ...OF_BATCH,
    query: batchItemsQuerySchema,
    answers: { 200: { description: 'A page of items, in the order of the request', schema: answers.batchItemsSchema } },
    run: batches.listBatchItems,
  }),
  followBatch: operation('GET /api/batches/{batchId}/events', {
    rpc: 'batches.events',
    summary: 'Follow a batch by server-sent events until it ends',
    ...OF_BATCH,
    answers: {
      200: { description: 'The batch at each change, and the items that have ended', event: answers.batchEventSchema },
      204: { description: 'The reader has received the end already, according to `Last-Event-ID`' },
    },
    run: followBatch,
  }),
  archiveBatch: operation('GET /api/batches/{batchId}/archive.zip', {
    summary: 'Download the results of a batch as a Zip archive',
    ...OF_BATCH,
    answers: {
      200: {
        description: 'The files and results of the items that have ended, and `manifest.json`, which lists all items',
        contentTypes: [BATCH_ARCHIVE.contentType],
        isBinary: true,
      },
    },
    run: archiveBatch,
  }),
  cancelBatch: operation('POST /api/batches/{batchId}/cancel', {
    rpc: 'batches.cancel',
    tool: 'cancel_batch',
    summary: 'Cancel the items of a batch that have not ended',
    ...OF_BATCH,
    answers: { 202: { description: 'The batch is being cancelled', schema: answers.batchSchema } },
    errors: ['already_finished'],
    run: batches.cancelBatch,
  }),
  resumeBatch: operation('POST /api/batches/{batchId}/resume', {
    rpc: 'batches.resume',
    tool: 'resume_batch',
    summary: 'Continue a paused batch',
    ...OF_BATCH,
    body: resumeBatchSchema,
    isBodyOptional: true,
    answers: { 202: { description: 'The batch continues', schema: answers.batchSchema } },
    errors: ['not_ready'],
    run: batches.resumeBatch,
  }),
  retryBatch: operation('POST /api/batches/{batchId}/retry', {
    rpc: 'batches.retry',
    tool: 'retry_batch',
    summary: 'Run the failed items of an ended batch again',
    ...OF_BATCH,
    answers: { 202: { description: 'The batch runs again', schema: answers.batchSchema } },
    errors: ['not_ready', 'already_finished'],
    run: batches.retryBatch,
  }),
} as const;
