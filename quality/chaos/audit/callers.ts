import type { DownloadRecord } from '../../../contract/download-record.ts';
import { auditCharges } from './charges.ts';
import type { Evidence } from './evidence.ts';
import type { Finding } from './finding.ts';

/** The pages of other sites are what only the hostile caller asks for. */
const isOfHostile = ({ type }: DownloadRecord): boolean => type === 'media';

/** Whether each of the two callers has paid for its own successes, and for nothing else. */
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
