import { originalStatusOf } from '../../../contract/failures.ts';
import type { DownloadRecord } from '../../../contract/download-record.ts';
import { kinds } from '../../../contract/kinds/kinds.ts';
import { audioIdOf, speakerLabelsSchema } from '../../../contract/kinds/speaker-labels.ts';
import { WEBHOOK_USER_AGENT } from '../../../contract/http/webhook-headers.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { jobsIn, readBody } from '../client.ts';
import type { CallersLedger } from '../ledger.ts';
import type { Reception } from '../stage.ts';
import type { Evidence } from './evidence.ts';

/** Whether each webhook that was promised has arrived, as it should be, and seldom twice. */
export function auditWebhooks(
  ledger: CallersLedger,
  receptions: readonly Reception[],
  { records, kills }: Pick<Evidence, 'records'> & { kills: number },
) {
  const wrong = receptions.flatMap((reception) => {
    const flaws = flawsOf(reception, records.get(recordIdOf(reception)));
    return flaws.length === 0 ? [] : [`${reception.callId} ${reception.webhookId}: ${flaws.join(', ')}`];
  });
  const times = new Map<string, number>();
  for (const { webhookId } of receptions) times.set(webhookId, (times.get(webhookId) ?? 0) + 1);
  const repeated = [...times].filter(([, count]) => count > 1);
  const repeats = repeated.reduce((sum, [, count]) => sum + count - 1, 0);
  return {
    repeats,
    findings: [
      { column: 'webhooks missed', ids: owedWebhooks(ledger, receptions) },
      { column: 'webhooks with a wrong body, header or signature', ids: wrong },
      {
        column: 'webhooks repeated more often than something was killed',
        ids: repeats > kills ? repeated.map(([id, count]) => `${id}: ${String(count)} times`) : [],
      },
      { column: 'webhooks repeated under another id', ids: otherIds(receptions) },
    ],
  };
}

export function owedWebhooks({ entries }: CallersLedger, receptions: readonly Reception[]): string[] {
  const arrived = new Set(receptions.map((reception) => `${reception.callId} ${recordIdOf(reception)}`));
  return entries.flatMap(({ call, jobs }) =>
    jobs
      .filter((job) => job.isOwedWebhook)
      .map((job) => `${call.id} ${job.id}`)
      .filter((webhook) => !arrived.has(webhook)),
  );
}

/** A webhook's id is that of its download, a hyphen and a number. */
function recordIdOf({ webhookId }: Reception): string {
  return webhookId.split('-')[0] ?? '';
}

/** One caller has one webhook of one job, however often it comes. */
function otherIds(receptions: readonly Reception[]): string[] {
  const ids = new Map<string, Set<string>>();
  for (const reception of receptions) {
    const promise = `${reception.callId} ${recordIdOf(reception)}`;
    ids.set(promise, (ids.get(promise) ?? new Set()).add(reception.webhookId));
  }
  return [...ids].filter(([, all]) => all.size > 1).map(([promise, all]) => `${promise}: ${[...all].join(', ')}`);
}

function flawsOf({ headers, body, isSigned }: Reception, record: DownloadRecord | undefined): string[] {
  if (record === undefined) return ['of a job that is unknown'];
  if (record.status === 'pending') return ['of a job that has not ended'];
  const original = record.status === 'failed' ? originalStatusOf(record.failure) : 200;
  const expected: Readonly<Record<string, string>> = {
    'content-type': 'application/json',
    'user-agent': WEBHOOK_USER_AGENT,
    'x-webhook-endpoint': kinds[record.type].endpoint,
    'x-webhook-original-status': String(original),
    'x-webhook-download-id': audioIdOf(record),
  };
  const wrong = Object.entries(expected)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `${name} is ${headers[name] ?? 'absent'}`);
  const jobs = jobsIn(readBody(body) ?? {});
  const own = jobs.find(({ id }) => id === record.id);
  // Each webhook of a list tells of both parts; how far the other one is depends on the moment.
  const isItself =
    own?.status === record.status && jobs.length === (kinds[record.type].endpoint === 'imgnet/list' ? 2 : 1);
  const isSpoken = record.type === 'speaker_labels' && record.status === 'success' && record.charge !== 0;
  if (isSpoken && !hasWordsAndSpeakers(body)) wrong.push('it has no words with speakers');
  return [...wrong, ...(isItself ? [] : ['the body says otherwise']), ...(isSigned ? [] : ['the signature is wrong'])];
}

function hasWordsAndSpeakers(body: string): boolean {
  const { data } = speakerLabelsSchema.safeParse(parseJson(body));
  const lines = data?.data.transcriptsWithTimeStamps ?? [];
  return lines.length > 0 && lines.every(({ text, speaker }) => /\w/.test(text) && speaker !== '');
}
