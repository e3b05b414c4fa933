import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { SubscriptionAnswer, subscriptionItemsSchema } from '../../contract/subscriptions/subscription-request.ts';
import type { Evidence, Finding } from './audit/evidence.ts';
import { CALL_PREFIXES, readWith, type BatchDeps } from './batches.ts';
import type { Answer, Content } from './client.ts';
import { changeChannel, type SandboxIndex } from './sandbox-index.ts';
import type { Reception, Stage } from './stage.ts';

const SUBSCRIPTIONS = 2;
/** When a channel publishes a video, as shares of the run. */
const PUBLISHED_AT = [0.3, 0.5, 0.7, 0.8];
const REPEAT_MS = 1_000;
/** A page of items is larger than what a channel publishes. */
const ITEMS = 'items?limit=100';

export type FollowedChannels = ReturnType<typeof planSubscriptions>;
type Followed = FollowedChannels[number];

export function planSubscriptions(index: SandboxIndex) {
  return index
    .channels('ordinary')
    .slice(-SUBSCRIPTIONS)
    .map((url, number) => ({
      callId: `${CALL_PREFIXES.subscription}${String(number + 1)}`,
      url,
      published: [] as string[],
      id: undefined as string | undefined,
    }));
}

type SubscribersDeps = BatchDeps & { readonly sandbox: Stage['sandbox']; readonly durationMs: number };

/**
 * Subscribes to channels, which publish videos during the run. Resolves when a check that was requested after the last kill has
 * succeeded.
 */
export async function followChannels(channels: FollowedChannels, deps: SubscribersDeps): Promise<void> {
  await Promise.all(channels.map((channel) => follow(channel, deps)));
}

async function follow(channel: Followed, deps: SubscribersDeps): Promise<void> {
  const { webhookUrlOf, nowMs, durationMs, goHome: signal } = deps;
  const at = (share: number): Promise<void> => delay(Math.max(0, share * durationMs - nowMs()), undefined, { signal });
  const { callId, url: from } = channel;
  const each = { operation: 'requestAudio' };
  const body = { from, each, since: 'now', every: '30d', include_webhook: webhookUrlOf(callId) };
  const { body: created } = await accepted(deps, '/api/subscriptions', {
    body,
    headers: { 'idempotency-key': callId },
  });
  const id = created.id ?? '';
  channel.id = id;
  await checked(deps, id, 0);
  for (const share of PUBLISHED_AT) {
    await at(share);
    const title = `Number ${String(channel.published.length + 1)} of ${callId}`;
    channel.published.push(await changeChannel(deps.sandbox, { publish: new URL(from).pathname.slice(1), title }));
    await accepted(deps, `/api/subscriptions/${id}/check`);
  }
  await at(1);
  for (let isChecked = false; !isChecked;) {
    const sinceMs = Date.now();
    await accepted(deps, `/api/subscriptions/${id}/check`);
    isChecked = (await checked(deps, id, sinceMs)).failure === null;
  }
}

/** Repeats a request until it is accepted. */
async function accepted(deps: SubscribersDeps, path: string, content: Content = {}): Promise<Answer> {
  for (;;) {
    const answer = await deps.client.request('POST', path, content);
    if (answer?.status === 202) return answer;
    if (answer?.status === 400 || answer?.status === 404) throw new Error(`${path} was refused: ${answer.text}`);
    await delay(answer?.retryAfterMs ?? REPEAT_MS, undefined, { signal: deps.goHome });
  }
}

/** Polls a subscription until a check has ended after a time. */
async function checked({ client, goHome }: SubscribersDeps, id: string, sinceMs: number): Promise<SubscriptionAnswer> {
  for (;;) {
    const answer = await client.request('GET', `/api/subscriptions/${id}`);
    const found = answer?.status === 200 ? (JSON.parse(answer.text) as SubscriptionAnswer) : undefined;
    if (found?.checked_at && Date.parse(found.checked_at) > sinceMs) return found;
    await delay(REPEAT_MS, undefined, { signal: goHome });
  }
}

/** Checks that each video that was published has been fetched once, and that each batch of new entries has sent one webhook. */
export async function auditSubscriptions(
  channels: FollowedChannels,
  {
    client,
    records,
    receptions,
  }: Pick<Evidence, 'records'> & Pick<BatchDeps, 'client'> & { readonly receptions: readonly Reception[] },
): Promise<readonly Finding[]> {
  const wrong: string[] = [];
  const webhooks: string[] = [];
  const read = readWith(client);
  for (const { callId, id, published } of channels) {
    if (id === undefined || published.length < PUBLISHED_AT.length) {
      wrong.push(`${callId}: was not started, or not checked`);
      continue;
    }
    const path = `/api/subscriptions/${id}`;
    const { items } = await read<z.infer<typeof subscriptionItemsSchema>>(`${path}/${ITEMS}`);
    const fetched = items.map(({ request }) => String(request['vidnet_video_id']));
    wrong.push(...published.filter((video) => !fetched.includes(video)).map((video) => `${callId} ${video}: lost`));
    wrong.push(
      ...fetched
        .filter((video, index) => !published.includes(video) || fetched.indexOf(video) !== index)
        .map((video) => `${callId} ${video}: fetched again, or older than the subscription`),
    );
    wrong.push(
      ...items
        .filter(({ state, record }) => state !== 'success' || records.get(record?.id ?? '')?.status !== state)
        .map(({ batch_id: batch, number, state }) => `${callId} ${batch} item ${String(number)}: ${state}`),
    );
    const { started, status, backlog } = await read<SubscriptionAnswer>(path);
    if (started !== published.length || status !== 'active' || backlog.items > 0)
      wrong.push(`${callId}: ${status}, ${String(started)} started, ${String(backlog.items)} waiting`);
    const due = items.map(({ batch_id: batch }) => `${batch}-1`);
    const sent = receptions.filter((one) => one.callId === callId).map(({ webhookId }) => webhookId);
    const either = new Set([...due, ...sent]);
    const odd = [...either].filter((one) => !due.includes(one) || !sent.includes(one));
    webhooks.push(...odd.map((one) => `${callId}: ${one}`));
  }
  return [
    { column: 'new entries of subscriptions lost or fetched again', ids: wrong },
    { column: 'webhooks of subscriptions missed or doubled', ids: webhooks },
  ];
}
