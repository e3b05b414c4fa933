import type { DownloadRecord } from '../../../contract/download-record.ts';
import { isSettled, type CallersLedger, type CallEntry } from '../ledger.ts';
import type { Evidence, Finding } from './evidence.ts';

/** The failure of a job for which the provider does not know whether it began. The sandbox always knows. */
const RATHER_THAN_PAY_TWICE = 'The dataset API did not say whether it started.';

export function isUnpaidTwice(record: DownloadRecord): boolean {
  return record.status === 'failed' && record.failure.message.startsWith(RATHER_THAN_PAY_TWICE);
}

/** Checks that every accepted job is known and has ended with the result that its subject demands. */
export function auditJobs({ entries }: CallersLedger, { records }: Evidence): Finding[] {
  const accepted = entries.flatMap((entry) => entry.jobs.map((job) => ({ entry, job, record: records.get(job.id) })));
  const pending = [...records.values()].filter(({ status }) => status === 'pending').map(({ id }) => id);
  const where = ({ call }: CallEntry): string => `${call.id} ${call.kind}`;
  const lost = accepted
    .filter(({ job, record }) => record === undefined || (job.status !== 'pending' && job.status !== record.status))
    .map(({ entry, job, record }) => `${where(entry)} ${job.id}: ${job.status}, now ${record?.status ?? 'unknown'}`);
  const forgotten = entries.flatMap((entry) => entry.forgotten.map((id) => `${where(entry)} ${id}: was answered 404`));
  const unended = entries
    .filter((entry) => !isSettled(entry))
    .map((entry) => `${where(entry)}: ${entry.jobs.map(({ id }) => id).join(', ') || 'never answered'}`);
  const refused = entries.flatMap((entry) =>
    entry.problem === undefined ? [] : [`${where(entry)}: ${entry.problem}`],
  );
  const failed = accepted.flatMap(({ entry, record }) => {
    const { expected } = entry.call;
    if (record?.status !== 'failed' || record.failure.code === expected || isUnpaidTwice(record)) return [];
    const { code, message } = record.failure;
    return [`${where(entry)} ${record.id}: ${code} instead of ${expected} (${message})`];
  });
  const succeeded = accepted
    .filter(({ entry, record }) => record?.status === 'success' && entry.call.expected !== 'success')
    .map(({ entry, job }) => `${where(entry)} ${job.id}: a success instead of ${entry.call.expected}`);
  const unpaid = [...records.values()].filter(isUnpaidTwice).map(({ id, type }) => `${id} ${type}`);
  return [
    { column: 'jobs lost', ids: [...new Set([...lost, ...forgotten])] },
    { column: 'jobs that did not end', ids: [...new Set([...pending, ...unended])] },
    { column: 'callers turned away for good', ids: refused },
    { column: 'jobs that failed though their subject is fine', ids: [...new Set(failed)] },
    { column: 'jobs that failed rather than be paid for twice', ids: unpaid },
    { column: 'jobs that succeeded though their subject cannot be had', ids: succeeded },
    { column: 'subjects fetched more than once', ids: fetchedTwice({ records }) },
  ];
}

/** Results stay fresh for the whole run, so a subject is fetched once. Other successes share its contents. */
function fetchedTwice({ records }: Pick<Evidence, 'records'>): string[] {
  const successes = new Map<string, string[]>();
  for (const record of records.values()) {
    if (record.status !== 'success' || record.contentsOf !== undefined) continue;
    successes.set(record.subjectId, [...(successes.get(record.subjectId) ?? []), record.id]);
  }
  return [...successes].filter(([, ids]) => ids.length > 1).map(([subject, ids]) => `${subject}: ${ids.join(', ')}`);
}
