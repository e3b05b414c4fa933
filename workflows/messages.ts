import { defineQuery, defineSignal } from '@temporalio/workflow';

/** Adds a webhook to a running job; each URL is told once. */
export const subscribeSignal = defineSignal<[string]>('subscribe');

/** What a job waits for, for operators: the stage, and the upstream's refusals so far. */
export interface JobProgress {
  readonly stage: 'accepted' | 'working' | 'backing-off' | 'notifying';
  readonly upstreamRefusals: number;
  readonly lastRefusal?: string;
}
export const progressQuery = defineQuery<JobProgress>('progress');
