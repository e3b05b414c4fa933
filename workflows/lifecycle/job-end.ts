import type { JobInput } from '../../contract/job-input.ts';
import { formatMoney } from '../../contract/money.ts';
import type { JobOutcome } from '../../contract/download-record.ts';

/** The result of a job's workflow, of a failed one among the details of its failure. Only operators read it. */
export interface JobEnd {
  readonly recordId: string;
  /** `done before`: an earlier job of the subject had just succeeded, and this one has left no trace. */
  readonly status: 'success' | 'failed' | 'done before';
  /** A decimal string. Absent in a failure: what a job costs that was cancelled too late, its record alone knows. */
  readonly cost?: string;
  /** Names of the published files. */
  readonly files?: readonly string[];
  /** How many were told; each is the workflow `webhook/RECORD-ID/NUMBER`. */
  readonly webhooks?: number;
  /** Why it failed. */
  readonly code?: string;
}

export function endOf({ recordId, price }: JobInput, outcome: JobOutcome, webhooks: number): JobEnd {
  if (outcome.status === 'failed') return { recordId, status: 'failed', webhooks, code: outcome.failure.code };
  const { charge = price, files = [] } = outcome.result;
  return { recordId, status: 'success', cost: formatMoney(charge), files: files.map(({ name }) => name), webhooks };
}

/** The same in a line for the Web UI. */
export function describeEnd({ status, cost, files = [], webhooks = 0, code }: JobEnd): string {
  const told = webhooks === 1 ? '1 webhook' : `${webhooks} webhooks`;
  if (code !== undefined) return `Ended: ${status} (${code}), ${told}.`;
  return `Ended: ${status}, cost ${cost ?? '0.000'}, ${files.length === 1 ? '1 file' : `${files.length} files`}, ${told}.`;
}
