import { chargeOf } from '../../../contract/kinds/charges.ts';
import type { ListParameters } from '../../../contract/kinds/imgnet-list-job.ts';
import { listPrice, splitListPrice } from '../../../contract/kinds/list-price.ts';
import type { MediaParameters } from '../../../contract/kinds/media.ts';
import { priceTable } from '../../../contract/kinds/configured-prices.ts';
import { speakerLabelsPrice } from '../../../contract/kinds/speaker-labels.ts';
import type { ContentParameters } from '../../../contract/kinds/imgnet-content.ts';
import type { OwnerProfileParameters } from '../../../contract/kinds/imgnet-profile.ts';
import type { TranscriptParameters } from '../../../contract/kinds/transcript-request.ts';
import type { DownloadRecord, SuccessRecord } from '../../../contract/download-record.ts';
import type { Evidence, Finding } from './evidence.ts';

const PRICES = priceTable({});

/** Checks that the key paid the right price once for each success, and for nothing else. */
export function auditCharges(evidence: Evidence, credit: number): Finding[] {
  const { records, entries, account } = evidence;
  const successes = [...records.values()].filter((record) => record.status === 'success');
  const booked = new Map<string, number[]>();
  for (const { recordId, amount } of entries) booked.set(recordId, [...(booked.get(recordId) ?? []), amount]);
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const record of successes) {
    const price = priceOf(record, successes);
    const amounts = booked.get(record.id) ?? [];
    const line = `${record.id} ${record.type}: ${amounts.join(' and ') || 'nothing'} instead of ${String(price)}`;
    if (price > 0 && amounts.length === 0) missing.push(line);
    else if (amounts.length > 1 || (amounts[0] ?? 0) !== price || record.charge !== price) wrong.push(line);
  }
  // A job that was cancelled after the request to its provider is paid too.
  const costs = (id: string): boolean => {
    const record = records.get(id);
    return record !== undefined && (record.status === 'success' || chargeOf(record) > 0);
  };
  const forNothing = entries.filter(({ recordId }) => !costs(recordId)).map(({ recordId }) => recordId);
  return [
    { column: 'charges missing', ids: missing },
    { column: 'charges doubled, wrong or for nothing', ids: [...wrong, ...forNothing] },
    { column: 'balances that do not add up', ids: sums(evidence, credit) },
    {
      column: 'money still set aside',
      ids: [...evidence.unbooked, ...account.holds.map(({ recordId }) => recordId)],
    },
  ];
}

function sums({ entries, account }: Evidence, credit: number): string[] {
  const { granted, available, spent, holds } = account;
  const held = holds.reduce((sum, { amount }) => sum + amount, 0);
  const listed = entries.reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...(granted === credit ? [] : [`granted ${String(granted)} instead of ${String(credit)}`]),
    ...(spent === listed ? [] : [`spent ${String(spent)}, the entries are ${String(listed)}`]),
    ...(available === granted - spent - held ? [] : [`available ${String(available)}`]),
  ];
}

function priceOf(record: SuccessRecord, successes: readonly DownloadRecord[]): number {
  const { type } = record;
  const parameters = (record.parameters ?? {}) as Partial<
    TranscriptParameters & ListParameters & OwnerProfileParameters & ContentParameters & MediaParameters
  >;
  // Only the kinds that the run requests.
  switch (type as string) {
    case 'audio':
      return PRICES.audio;
    case 'vidnet_video':
      return PRICES.video;
    case 'captions':
      return PRICES.transcript + (parameters.includeComments === true ? PRICES.comments : 0);
    case 'list':
      return record.contentsOf === undefined ? PRICES.channel : 0;
    case 'imgnet_profile':
      // The price of a post includes the profile that was fetched for it.
      return parameters.paidBy !== undefined ? 0 : PRICES.profile;
    case 'imgnet_post':
      // A profile that existed when the post was accepted is free, even if it is fetched again.
      return parameters.profilePrice !== 0 && successes.some((one) => isPaidBy(one, record.id))
        ? PRICES.post + PRICES.profile
        : PRICES.post;
    case 'imgnet_list_posts':
    case 'imgnet_list_reels': {
      const { postsCount } = parameters;
      return splitListPrice(listPrice(PRICES, postsCount))[type === 'imgnet_list_posts' ? 'posts' : 'reels'];
    }
    case 'imgnet_audio':
      return PRICES.imgnetAudio;
    case 'media':
      return parameters.page?.format === 'video' ? PRICES.mediaVideo : PRICES.mediaAudio;
    case 'upload':
      return PRICES.upload;
    case 'media_info':
      return PRICES.mediaInfo;
    case 'speaker_labels':
      // Audio without speech is free. Only the charge shows that.
      return record.charge === 0 ? 0 : speakerLabelsPrice(PRICES, record.durationSeconds ?? 0);
    default:
      throw new Error(`the run asks for no job of type ${type}`);
  }
}

function isPaidBy({ parameters }: DownloadRecord, payer: string): boolean {
  return parameters !== undefined && 'paidBy' in parameters && parameters.paidBy === payer;
}

/** Only the hostile caller requests pages of other sites. */
const isOfHostile = ({ type }: DownloadRecord): boolean => type === 'media';

/** Checks that each of the two callers paid for its own successes, and for nothing else. */
export function auditChargesOfBoth(
  { ordinary, hostile }: { readonly ordinary: Evidence; readonly hostile: Evidence | undefined },
  credit: number,
): Finding[] {
  const having = (evidence: Evidence, isHostile: boolean): Evidence => ({
    ...evidence,
    records: new Map([...evidence.records].filter(([, record]) => isOfHostile(record) === isHostile)),
  });
  const own = auditCharges(having(ordinary, false), credit);
  if (hostile === undefined) return own;
  const others = auditCharges(having(hostile, true), credit);
  return own.map(({ column, ids }) => {
    const further = others.find((one) => one.column === column)?.ids ?? [];
    return { column, ids: [...ids, ...further.map((id) => `${id} (hostile caller)`)] };
  });
}
