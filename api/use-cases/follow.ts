import type { LimitedCaller } from '../access/access-middleware.ts';
import type { Caller } from '../../contract/accounts.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { deliveryIdOf, LATE_SUBSCRIBERS_FROM } from '../../contract/webhooks.ts';
import type { ServiceDeps } from '../deps.ts';
import { claimPlace, noteTold, subscribe, subscriberOf } from './subscribers.ts';

/** `finished`: a result that is still good, nothing was started; `joined`: a job of the subject runs already. */
export interface Accepted {
  readonly how: 'finished' | 'started' | 'joined';
  readonly record: DownloadRecord;
}

/**
 * The two jobs of one request as they are, without starting any; the webhook is added to what runs.
 *
 * @throws ApiError `rate_limited`, `too_many_webhooks`, `unavailable`
 */
export async function followBoth(
  deps: ServiceDeps,
  caller: LimitedCaller,
  { records, webhookUrl }: { records: readonly [DownloadRecord, DownloadRecord]; webhookUrl: string | undefined },
): Promise<readonly [Accepted, Accepted]> {
  const isAnswered = records.every(({ status }) => status !== 'pending');
  await caller.admitJobs?.(
    records.map((latest) => ({ subjectId: latest.subjectId, latest })),
    isAnswered,
  );
  if (webhookUrl !== undefined && !isAnswered) {
    // Both or none.
    for (const record of records)
      await claimPlace(deps, caller, { recordId: record.id, webhookUrl, startedWith: record });
  }
  const [first, second] = records;
  const one = await follow(deps, caller, { record: first, webhookUrl });
  const other = await follow(deps, caller, { record: second, webhookUrl });
  await tellOfEnded(deps, caller, { both: [one, other], webhookUrl });
  return [one, other];
}

async function follow(
  deps: ServiceDeps,
  caller: Caller,
  { record, webhookUrl }: { readonly record: DownloadRecord; readonly webhookUrl: string | undefined },
): Promise<Accepted> {
  const { id: recordId, subjectId } = record;
  if (caller.kind === 'key') await deps.keyDownloads.note(caller.key.id, recordId);
  deps.feeds.accepted(caller, record);
  if (record.status !== 'pending') return { how: 'finished', record };
  if (webhookUrl === undefined) return { how: 'joined', record };
  const job = await deps.jobs.running(subjectId);
  if (job !== 'closed' && job.running.recordId === recordId) {
    const joined = { recordId, subjectId, runId: job.runId, webhookUrl, startedWith: record };
    if (await subscribe(deps, caller, joined)) return { how: 'joined', record };
  }
  // It has ended in between, and took no subscriber.
  return { how: 'finished', record: (await deps.records.get(recordId)) ?? record };
}

/**
 * Whoever asks for two jobs while one of them is under way is told of both, also of the one that has ended: its delivery is
 * started here. May be repeated: a delivery has the same id then, and attempts that are on record are not made again.
 *
 * @throws ApiError `too_many_webhooks`, `unavailable`
 */
export async function tellOfEnded(
  deps: ServiceDeps,
  caller: Caller,
  { both, webhookUrl: url }: { readonly both: readonly Accepted[]; readonly webhookUrl: string | undefined },
): Promise<void> {
  if (url === undefined || both.every(({ how }) => how === 'finished')) return;
  for (const { how, record } of both) {
    if (how !== 'finished' || record.status === 'pending') continue;
    const recordId = record.id;
    const told = { recordId, webhookUrl: url };
    if ((await claimPlace(deps, caller, { ...told, startedWith: record })) === 'told') continue;
    const number = await deps.receivers.lateNumberOf(recordId, url, record.webhookUrl);
    if (number !== undefined) {
      const deliveryId = deliveryIdOf(recordId, LATE_SUBSCRIBERS_FROM + number - 1);
      const subscribedBy = [subscriberOf(caller)];
      await deps.redeliveries.start({ deliveryId, recordId, url, subscribedBy, firstAttempt: 1, record });
    }
    await noteTold(deps, caller, told);
  }
}
