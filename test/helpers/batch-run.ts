import type { Db } from 'mongodb';
import { expect } from 'vitest';
import { parseMoney } from '../../contract/money.ts';
import type { BatchAnswer, BatchItemAnswer, BatchItemsAnswer } from '../../contract/batches/batch-answers.ts';
import type { AccountResult } from '../../contract/http/account-schemas.ts';
import type { ImgnetIndex } from './imgnet.ts';
import { imgnetIndex } from './imgnet.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

type Item = Readonly<Record<string, string>>;

/** A process can be killed while it has a request. */
const ANSWER_MS = 30_000;

/** Items of seven operations, of everything that the sandbox has and that ends by itself. */
export async function itemsOfSandbox(service: TestService, videos: number): Promise<readonly Item[]> {
  const { channels, accounts, posts }: ImgnetIndex = await imgnetIndex(service);
  const some = service.sandbox.catalogue.filter((one) => one.case !== 'long').slice(0, videos);
  return [
    ...some.map(({ id }) => ({ operation: 'requestAudio', vidnet_video_id: id })),
    ...some.map(({ id }) => ({ operation: 'requestTranscript', vidnet_video_id: id, language: 'en' })),
    ...some.slice(0, 3).map(({ id }) => ({ operation: 'requestVideo', vidnet_video_id: id })),
    ...channels.filter((one) => one.case !== 'large').map(({ url }) => ({ operation: 'requestChannel', url })),
    ...accounts.map(({ url }) => ({ operation: 'requestImgnetProfile', url })),
    ...posts.flatMap(({ url }) => [
      { operation: 'requestImgnetContent', url },
      { operation: 'requestImgnetAudio', url },
    ]),
  ];
}

/** Requests about a batch by one key; the service may be away in between. */
export function batchCaller(service: TestService, headers: Readonly<Record<string, string>>) {
  const ask = <Body>(method: 'GET' | 'POST', path: string, body?: object) =>
    service.request<Body>(method, path, { headers, signal: AbortSignal.timeout(ANSWER_MS), ...(body && { body }) });
  const get = (id: string) => ask<BatchAnswer>('GET', `/api/batches/${id}`);
  return {
    headers,
    ask,
    get,
    start: (body: object) => ask<BatchAnswer>('POST', '/api/batches', body),
    account: async () => (await ask<AccountResult>('GET', '/api/account?limit=200')).body,
    untilStatus: (id: string, status: BatchAnswer['status'], within = 120_000): Promise<BatchAnswer> =>
      until(
        async () => {
          const answer = await get(id).catch(() => undefined);
          return answer?.status === 200 && answer.body.status === status ? answer.body : undefined;
        },
        { within, what: `batch ${id} to be ${status}` },
      ),
    async items(id: string, query = ''): Promise<readonly BatchItemAnswer[]> {
      const all: BatchItemAnswer[] = [];
      for (let cursor: number | null = 0; cursor !== null;) {
        const path = `/api/batches/${id}/items?limit=200&cursor=${String(cursor)}${query}`;
        const page: BatchItemsAnswer = (await ask<BatchItemsAnswer>('GET', path)).body;
        all.push(...page.items);
        cursor = page.next_cursor;
      }
      return all;
    },
  };
}

/** The ledger has one entry for each record, their sum is the cost of the batch, and nothing is reserved any more. */
export async function expectChargedOnce(
  db: Db,
  { caller, cost }: { readonly caller: ReturnType<typeof batchCaller>; readonly cost: string },
): Promise<void> {
  const { spent, reserved, key } = await caller.account();
  expect([spent, reserved]).toEqual([cost, '0.000']);
  const entries = await db.collection<{ recordId: string; amount: number }>('ledger').find({ keyId: key.id }).toArray();
  expect(new Set(entries.map(({ recordId }) => recordId)).size).toBe(entries.length);
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(parseMoney(cost));
}
