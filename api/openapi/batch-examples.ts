import { renderBatch, renderBatchItem } from '../../contract/batches/batch-answers.ts';
import { BATCH_ARCHIVE, newBatch, NO_TOTALS, type StoredBatch } from '../../contract/batches/batch-state.ts';
import { EVENT_STREAM } from '../edge/answer-budget.ts';
import { renderFeed } from '../../contract/http/feed-schemas.ts';
import { SAMPLE } from '../../contract/kinds/sample.ts';
import { subscriptionExamples } from './subscription-examples.ts';
import type { operations } from '../operations/operations.ts';
import { one, type AnswerExamples } from './render-examples.ts';
import { CREATED_AT, FINISHED_AT, samples } from './sample-records.ts';

export const CONTEXT = {
  prices: { listItem: 1, speakerLabelsPerMinute: 1 },
  linkTo: (recordId: string, name: string) => `https://example.com/files/${recordId}/${name}`,
};

const running = newBatch({
  ...{ id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CZ', startedBy: 'anonymous', name: 'Evening talks', createdAt: CREATED_AT },
  ...{ items: 1200, maxCost: 9000, skip: ['members_only'] },
  counts: { ...NO_TOTALS.counts, waiting: 736, running: 64, success: 391, failed: 6, skipped: 3 },
  ...{ spent: 1955, open: 4000, updatedAtMs: Date.parse(FINISHED_AT) },
  marks: [{ atMs: Date.parse(FINISHED_AT) - 300_000, ended: 200 }],
});
export const finishedBatch: StoredBatch = {
  ...{ ...running, status: 'finished', finishedAt: FINISHED_AT, open: 0 },
  counts: { ...NO_TOTALS.counts, success: 1182, failed: 12, skipped: 6 },
};

const { id: source, startedBy } = running;
const feed = {
  ...{ id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CV', hash: '', startedBy, source, createdAt: CREATED_AT },
  ...{ title: 'Evening talks', language: 'en' },
};
const feedAddress = `https://example.com/feeds/tdf_${feed.id}_${'x'.repeat(43)}`;

export function batchExamples(): Partial<Record<keyof typeof operations, AnswerExamples>> {
  const { record } = samples.audio.success;
  const request = { operation: 'requestAudio', vidnet_video_id: SAMPLE.videoId, include_webhook: undefined } as const;
  const progress = { state: 'success', recordId: record.id, cost: 5 } as const;
  const started = (batch: StoredBatch) => ({ 202: one('The batch', renderBatch(batch, CONTEXT)) });
  const item = renderBatchItem({ number: 0, request, progress }, record, CONTEXT);
  const created = { ...running, counts: { ...NO_TOTALS.counts, waiting: 1200 }, spent: 0, open: 6000, marks: [] };
  const shown = renderBatch(running, CONTEXT);
  const event = JSON.stringify({ batch: shown, ended: [item] });
  return {
    createBatch: started(created),
    listBatches: { 200: one('A page', { batches: [shown], next_cursor: null }) },
    getBatch: { 200: one('A batch that runs', shown) },
    listBatchItems: { 200: one('A page', { items: [item], next_cursor: 1 }) },
    followBatch: { [EVENT_STREAM]: one('An item has ended', `retry: 2000\n\ndata: ${event}\nid: 1-running-400-0\n\n`) },
    archiveBatch: { [BATCH_ARCHIVE.contentType]: one('The start of an archive', 'PK') },
    cancelBatch: started({ ...running, status: 'cancelling' }),
    resumeBatch: started({ ...running, status: 'paused', pause: 'max_cost' }),
    ...subscriptionExamples(item),
    retryBatch: started({ ...running, end: 2 }),
    createFeed: { 200: one('The feed', renderFeed(feed, feedAddress)) },
    listFeeds: { 200: one('A page', { feeds: [renderFeed(feed)], next_cursor: null }) },
    deleteFeed: { 200: one('The feed', renderFeed(feed)) },
  };
}
