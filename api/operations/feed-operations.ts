import { z } from 'zod';
import { feedListSchema, feedRequestSchema, feedSchema } from '../../contract/http/feed-schemas.ts';
import { pageQuerySchema } from '../../contract/http/fields.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { createFeed, deleteFeed, listFeeds } from '../use-cases/podcast-feeds.ts';
import { operation } from './operation.ts';

export const feedOperations = {
  createFeed: operation('POST /api/feeds', {
    rpc: 'feeds.create',
    summary: 'Create a podcast feed of the files of a batch or subscription',
    body: feedRequestSchema,
    answers: { 200: { description: 'The feed with its addresses', schema: feedSchema } },
    run: createFeed,
  }),
  listFeeds: operation('GET /api/feeds', {
    rpc: 'feeds.list',
    summary: 'List feeds, newest first',
    query: pageQuerySchema,
    answers: { 200: { description: 'A page of feeds', schema: feedListSchema } },
    run: listFeeds,
  }),
  deleteFeed: operation('DELETE /api/feeds/{feedId}', {
    rpc: 'feeds.delete',
    summary: 'Revoke the token of a feed',
    params: z.object({ feedId: ulidSchema }),
    unknown: { feedId: 'There is no feed with this id.' },
    answers: { 200: { description: 'The feed that was deleted', schema: feedSchema } },
    run: deleteFeed,
  }),
} as const;
