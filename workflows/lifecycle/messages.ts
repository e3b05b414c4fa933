import { defineQuery, defineSignal } from '@temporalio/workflow';

/** Adds a webhook to a running job, with who asks for it; each URL is told once. */
export const subscribeSignal = defineSignal<[url: string, subscribedBy?: string]>('subscribe');

/** The stage of a job, for operators. Its pending activities tell why and until when it waits. */
export interface JobProgress {
  readonly stage: 'accepted' | 'working' | 'notifying';
}
export const progressQuery = defineQuery<JobProgress>('progress');
