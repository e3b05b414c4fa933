import type { CollectedProfile, ProfileOrder } from '../../contract/batches/item-order.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { failureFor, type Failure } from '../../contract/failures.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { costOf } from '../../contract/kinds/charges.ts';
import { listPrice } from '../../contract/kinds/list-price.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { formatMoney, type Thousandths } from '../../contract/money.ts';
import { idsOf } from '../http/idempotency.ts';
import { reusable } from './admission.ts';
import { currentJob } from './current-job.ts';
import { LIST_TYPES, partsOf, postsCountOf, subjectOf, type ListDeps } from './imgnet-list.ts';
import { planImgnetProfile } from './imgnet-requests.ts';
import { startOrJoin } from './start-or-join.ts';

/** Starts or joins the jobs of POST /api/imgnet/profile and then those of /list. It is called until they have ended, and starts each once. */
export async function collectProfile(deps: ListDeps, order: ProfileOrder): Promise<CollectedProfile> {
  const { now } = await collectionPriceOf(deps, order.account);
  const atMost = now + (await costSoFar(deps, order));
  const jobs =
    now > 0 && atMost > order.money
      ? failureFor('listTooDear', { price: formatMoney(atMost) })
      : await jobsOf(deps, order).catch((error: unknown): Failure => {
          if (!(error instanceof ApiError) || error.code !== 'insufficient_credit') throw error;
          return { code: error.code, message: error.message };
        });
  return { cost: await costSoFar(deps, order), jobs };
}

/** Cancels the jobs that an order has started, except those for which others wait. It is called until they have ended. */
export async function leaveProfile(deps: ListDeps, order: OrderIds) {
  let isEnding = false;
  for (const record of await startedBy(deps, order)) {
    if (record.status !== 'pending' || (await deps.records.noteInterest(record.id, 'abandoned')) !== 'abandoned')
      continue;
    await deps.jobs.cancel({ subjectId: record.subjectId, recordId: record.id });
    isEnding ||= (await currentJob(deps, record, 0)).record.status === 'pending';
  }
  return { cost: await costSoFar(deps, order), isEnding };
}

type OrderIds = Pick<ProfileOrder, 'seed' | 'createdAtMs'>;

/** The records of the jobs that an order has started. */
async function startedBy({ records }: ListDeps, order: OrderIds): Promise<readonly DownloadRecord[]> {
  const types = ['imgnet_profile', ...Object.values(LIST_TYPES)];
  const found = await Promise.all(types.map((type) => records.get(idsOf(order).of(type))));
  return found.filter((record) => record !== undefined);
}

async function costSoFar(deps: ListDeps, order: OrderIds): Promise<Thousandths> {
  return (await startedBy(deps, order)).reduce((sum, record) => sum + costOf(record), 0);
}

/** @returns what the profile with its list costs: `price` if it is collected anew, `now` with what is running or fresh */
export async function collectionPriceOf(
  deps: ListDeps,
  account: string,
): Promise<{ readonly now: Thousandths; readonly price: Thousandths }> {
  const profile = await deps.records.successOf(subjectIdOf('imgnet_profile', account));
  const { prices } = deps.rendering;
  const ofList = listPrice(prices, profile?.status === 'success' ? await postsCountOf(deps, profile) : undefined);
  const missing = ofList + ((await reusable(deps, profile)) === undefined ? prices.profile : 0);
  return { now: (await currentParts(deps, account)) === undefined ? missing : 0, price: prices.profile + ofList };
}

async function jobsOf(
  deps: ListDeps,
  { account, batchId, ...order }: ProfileOrder,
): Promise<readonly DownloadRecord[]> {
  const caller = { ...order.caller, ids: idsOf(order) };
  const shared = { batchId, endsWithStarter: true } as const;
  const current = await currentParts(deps, account);
  for (const { id, type, status, endsWithStarter } of current ?? []) {
    const isOthers = status === 'pending' && id !== caller.ids.of(type);
    if (isOthers && endsWithStarter === true) await deps.records.noteInterest(id, 'shared');
  }
  if (current !== undefined) return current;
  const job = { ...planImgnetProfile(deps, { url: `@${account}` }), ...shared };
  const { record: profile } = await currentJob(deps, (await startOrJoin(deps, caller, job)).record, 0);
  if (profile.status !== 'success') return [profile];
  await deps.lists.handOut(profile.id);
  const parts = await partsOf(deps, caller, { profile, days: undefined, ...shared });
  return Promise.all(parts.map(async ({ record }) => (await currentJob(deps, record, 0)).record));
}

/** @returns both parts of the list of all posts and reels if each of them is running or fresh */
async function currentParts(deps: ListDeps, account: string): Promise<readonly DownloadRecord[] | undefined> {
  const parts = await Promise.all(
    (['posts', 'reels'] as const).map(async (part) => {
      const { latest, success } = await deps.records.standingOf(subjectOf(part, { mediaId: account }, {}));
      if (latest?.status !== 'pending') return reusable(deps, success);
      const { record } = await currentJob(deps, latest, 0);
      return record.status === 'failed' ? undefined : record;
    }),
  );
  const current = parts.filter((one) => one !== undefined);
  return current.length === parts.length ? current : undefined;
}
