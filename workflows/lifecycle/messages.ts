import { defineQuery, defineSignal } from '@temporalio/workflow';
import { WEBHOOK_URL_MAX_CHARS } from '../../contract/request-limits.ts';

/** Adds a webhook to a running job, with the caller that subscribes it. */
export const subscribeSignal = defineSignal<[url: string, subscribedBy?: string]>('subscribe');

/** Begins a job that waits for a later time. */
export const beginSignal = defineSignal('begin');

/** Continues a paused batch. */
export const resumeSignal = defineSignal('resume');

/** The stage of a job, for operators. Pending activities show why it waits and until when. */
export interface JobProgress {
  readonly stage: 'accepted' | 'working' | 'notifying';
}
export const progressQuery = defineQuery<JobProgress>('progress');

/**
 * Whether a workflow handles this signal. The check uses no schema, because zod would be loaded for each workflow, which took a
 * third of the processor time of a job.
 */
export function isKnownSignal(name: string, [url, caller, ...more]: readonly unknown[]): boolean {
  if (name === resumeSignal.name || name === beginSignal.name) return url === undefined;
  if (name !== subscribeSignal.name || more.length > 0) return false;
  const isCaller = caller === undefined || (typeof caller === 'string' && /^[\w-]{1,64}$/.test(caller));
  return isCaller && isHttpUrl(url);
}

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > WEBHOOK_URL_MAX_CHARS || !URL.canParse(value)) return false;
  return /^https?:$/.test(new URL(value).protocol);
}
