import type { SubscriptionAnswer } from '../../../contract/subscriptions/subscription-request.ts';
import { Ago, StatusMark } from '../ui/parts.tsx';

const NAMES: Readonly<Record<string, string>> = {
  ...{ requestAudio: 'Audio', requestVideo: 'Video', requestTranscript: 'Captions' },
  ...{ requestImgnetAudio: 'Audio', requestImgnetContent: 'Posts' },
  ...{ 'requestMedia audio': 'Audio', 'requestMedia video': 'Video' },
};
const UNITS: Readonly<Record<string, string>> = { m: 'minutes', h: 'hours', d: 'days' };

export const subscriptionTitle = ({ name, from }: SubscriptionAnswer): string => name ?? from;

/** `Audio, every 6 hours` */
export function fetchesText({ each, every }: SubscriptionAnswer): string {
  const { operation, format = '' } = each as { readonly operation: string; readonly format?: string };
  const [number, unit = ''] = [Number.parseInt(every), every.at(-1)];
  const time =
    number === 1 ? `every ${UNITS[unit]?.slice(0, -1) ?? ''}` : `every ${String(number)} ${UNITS[unit] ?? ''}`;
  return `${NAMES[`${operation} ${format}`.trim()] ?? operation}, ${time}`;
}

export function Checked({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="quiet">Not checked yet</span>;
  return (
    <span class="quiet">
      Checked <Ago time={at} />
    </span>
  );
}

export function SubscriptionStatus({ status }: { readonly status: SubscriptionAnswer['status'] }) {
  return <StatusMark status={status}>{status === 'active' ? 'Active' : 'Paused'}</StatusMark>;
}
