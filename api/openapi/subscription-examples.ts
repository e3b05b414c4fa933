import { renderSubscription } from '../../contract/subscriptions/subscription-request.ts';
import type { StoredSubscription } from '../../contract/subscriptions/subscription-state.ts';
import type { operations } from '../operations/operations.ts';
import { one, type AnswerExamples } from './render-examples.ts';
import { CREATED_AT, FINISHED_AT } from './sample-records.ts';

const NOW_MS = Date.parse(FINISHED_AT);
const created: StoredSubscription = {
  ...{ id: '01JD5Z3K6VQ0W8R9T2X4Y6B8DA', startedBy: 'anonymous', name: 'Evening talks', createdAt: CREATED_AT },
  source: {
    url: 'https://www.youtube.com/@evening-talks',
    list: { kind: 'channel', path: '@evening-talks' },
    each: { operation: 'requestAudio' },
    filter: { title_omits: 'trailer' } as StoredSubscription['source']['filter'],
  },
  ...{ since: 'now', everyMinutes: 360, maxCostPerDay: 100, skip: ['members_only'], notice: 1 },
  ...{ waiting: [], started: 0, price: 5, spent: { day: CREATED_AT.slice(0, 10), amount: 0 } },
};
const running = { ...created, started: 12, checkedAtMs: NOW_MS };
export const failedSubscription: StoredSubscription = {
  ...{ ...running, pause: 'source_failed' },
  failing: {
    ...{ sinceMs: NOW_MS, checks: 5 },
    failure: { code: 'removed', message: 'The channel was removed or does not exist.' },
  },
};

/** @param items an item of a batch, as an example of one of a subscription */
export function subscriptionExamples(item: object): Partial<Record<keyof typeof operations, AnswerExamples>> {
  const shown = (status: number, subscription: StoredSubscription) => ({
    [status]: one('The subscription', renderSubscription(subscription, NOW_MS)),
  });
  const page = { subscriptions: [renderSubscription(running, NOW_MS)], next_cursor: null };
  const items = [{ ...item, batch_id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CZ' }];
  return {
    createSubscription: shown(202, created),
    listSubscriptions: { 200: one('A page', page) },
    getSubscription: shown(200, running),
    changeSubscription: shown(200, { ...running, everyMinutes: 60 }),
    removeSubscription: shown(200, running),
    pauseSubscription: shown(200, { ...running, pause: 'requested' }),
    resumeSubscription: shown(202, running),
    checkSubscription: shown(202, running),
    listSubscriptionItems: { 200: one('A page', { items, next_cursor: null }) },
  };
}
