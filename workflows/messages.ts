import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { PauseNotice, Waiting } from '../runtime/pacing.ts';

/** Adds a webhook to a running job, with who asks for it; each URL is told once. */
export const subscribeSignal = defineSignal<[url: string, subscribedBy?: string]>('subscribe');

/** A limiter lets a job begin what it requested a permit for. */
export const permitGrantedSignal =
  defineSignal<[{ readonly turnId: string; readonly limiterId: string }]>('turnGranted');

/** A limiter tells a job that waits for a permit of a pause, or of its end. */
export const pauseSignal = defineSignal<[{ readonly turnId: string; readonly notice: PauseNotice }]>('pause');

/** What a job waits for, for operators: the stage, and the upstream's refusals so far. */
export interface JobProgress {
  readonly stage: 'accepted' | 'waiting' | 'working' | 'backing-off' | 'notifying';
  readonly upstreamRefusals: number;
  readonly lastRefusal?: string;
  readonly waiting?: Waiting;
}
export const progressQuery = defineQuery<JobProgress>('progress');
