import type { LimitedCaller } from '../access/access-middleware.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { deliveryIdOf, LATE_SUBSCRIBERS_FROM } from '../../contract/http/webhook-delivery.ts';
import type { AcceptDeps } from '../service-deps.ts';
import { claimSubscription, markSubscriptionKnown, subscribe, subscriberOf } from './subscribers.ts';

/** `finished`: a stored result answers the request; `started`: a new job; `joined`: a job of the subject was running. */
export interface Accepted {
  readonly how: 'finished' | 'started' | 'joined';
  readonly record: DownloadRecord;
}

/** Answers a request with the current state of its two jobs, without starting one. The webhook is added to running jobs. */
export async function followBoth(
  deps: AcceptDeps,
  caller: LimitedCaller,
  { records, webhookUrl }: { records: readonly [DownloadRecord, DownloadRecord]; webhookUrl?: string | undefined },
): Promise<readonly [Accepted, Accepted]> {
  const isAnswered = records.every(({ status }) => status !== 'pending');
  await caller.admitJobs?.(
    records.map((latest) => ({ subjectId: latest.subjectId, latest })),
    isAnswered,
  );
  if (webhookUrl !== undefined && !isAnswered) {
    // The webhook is added to both jobs or to none.
    for (const record of records)
      await claimSubscription(deps, caller, { recordId: record.id, webhookUrl, startedWith: record });
  }
  const [first, second] = records;
  const one = await follow(deps, caller, { record: first, webhookUrl });
  const other = await follow(deps, caller, { record: second, webhookUrl });
  await notifyCompleted(deps, caller, { both: [one, other], webhookUrl });
  return [one, other];
}

async function follow(
  deps: AcceptDeps,
  caller: Caller,
  { record, webhookUrl }: { readonly record: DownloadRecord; readonly webhookUrl: string | undefined },
): Promise<Accepted> {
  const { id: recordId, subjectId } = record;
  if (caller.kind === 'key') await deps.keyDownloads.note(caller.key.id, recordId);
  deps.feeds.accepted(caller, record);
  if (record.status !== 'pending') return { how: 'finished', record };
  if (record.endsWithStarter === true) await deps.records.noteInterest(recordId, 'shared');
  if (webhookUrl === undefined) return { how: 'joined', record };
  const job = await deps.jobs.running(subjectId);
  if (job !== 'closed' && job.running.recordId === recordId) {
    const joined = { recordId, subjectId, runId: job.runId, webhookUrl, startedWith: record };
    if (await subscribe(deps, caller, joined)) return { how: 'joined', record };
  }
  // The job has ended meanwhile and accepted no subscriber.
  return { how: 'finished', record: (await deps.records.get(recordId)) ?? record };
}

/**
 * Delivers the results of jobs that have ended. A webhook on a request for two jobs reports both, also when one of them ended
 * before the request. A repeated call does nothing more, because the delivery has the same ID.
 */
export async function notifyCompleted(
  deps: AcceptDeps,
  caller: Caller,
  { both, webhookUrl: url }: { readonly both: readonly Accepted[]; readonly webhookUrl: string | undefined },
): Promise<void> {
  if (url === undefined || both.every(({ how }) => how === 'finished')) return;
  for (const { how, record } of both) {
    if (how !== 'finished' || record.status === 'pending') continue;
    const recordId = record.id;
    const subscription = { recordId, webhookUrl: url };
    if ((await claimSubscription(deps, caller, { ...subscription, startedWith: record })) === 'known') continue;
    const number = await deps.webhookSubscriptions.lateNumberOf(recordId, url, record.webhookUrl);
    if (number !== undefined) {
      const deliveryId = deliveryIdOf(recordId, LATE_SUBSCRIBERS_FROM + number - 1);
      const subscribedBy = [subscriberOf(caller)];
      await deps.redeliveries.start({ deliveryId, recordId, url, subscribedBy, firstAttempt: 1, record });
    }
    await markSubscriptionKnown(deps, caller, subscription);
  }
}
