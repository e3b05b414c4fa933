import type { PlannedCall } from './plan.ts';

/** A job that a 2xx named, or a 409 about the running one. */
export interface AcceptedJob {
  readonly id: string;
  /** Whether its end must be POSTed to the caller: it was pending in a 2xx. */
  readonly isOwedWebhook: boolean;
  status: 'pending' | 'success' | 'failed';
}

/** The request of one caller and its result. */
export interface CallEntry {
  readonly call: PlannedCall;
  readonly webhookUrl: string;
  tries: number;
  jobs: AcceptedJob[];
  listId?: string | undefined;
  /** Why the caller gave up: an answer that no waiting helps with. */
  problem?: string;
  /** Ids that were answered 404 after they had been accepted. */
  readonly forgotten: string[];
}

/** The callers' own record, with which the audit compares the service. */
export interface CallersLedger {
  readonly entries: readonly CallEntry[];
  readonly statuses: Map<number, number>;
  /** Path and text of answers with status 5xx that lack the documented body, with a sentence and a code. */
  readonly bareErrors: string[];
  /** Requests without an answer: refused, reset, timed out. */
  unanswered: number;
}

export function openLedger(calls: readonly PlannedCall[], webhookUrlOf: (callId: string) => string): CallersLedger {
  const entries = calls.map((call): CallEntry => ({
    call,
    webhookUrl: webhookUrlOf(call.id),
    tries: 0,
    jobs: [],
    forgotten: [],
  }));
  return { entries, statuses: new Map(), bareErrors: [], unanswered: 0 };
}

export function isSettled({ jobs, problem }: CallEntry): boolean {
  return problem !== undefined || (jobs.length > 0 && jobs.every(({ status }) => status !== 'pending'));
}
