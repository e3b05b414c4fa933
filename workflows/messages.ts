import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { PauseNotice, PermitRequest, Waiting } from '../runtime/pacing.ts';
import type { Refusal } from '../runtime/pauses.ts';

/** Adds a webhook to a running job, with who asks for it; each URL is told once. */
export const subscribeSignal = defineSignal<[url: string, subscribedBy?: string]>('subscribe');

/** What a job waits for, for operators: the stage, and the upstream's refusals so far. */
export interface JobProgress {
  readonly stage: 'accepted' | 'waiting' | 'working' | 'backing-off' | 'notifying';
  readonly upstreamRefusals: number;
  readonly lastRefusal?: string;
  readonly waiting?: Waiting;
}
export const progressQuery = defineQuery<JobProgress>('progress');

// Of jobs of version 4da8403.

/** Lets a job begin what it requested a permit for. */
export const permitGrantedSignal =
  defineSignal<[{ readonly turnId: string; readonly limiterId: string }]>('turnGranted');

/** Tells a job that waits for a permit of a pause, or of its end. */
export const pauseSignal = defineSignal<[{ readonly turnId: string; readonly notice: PauseNotice }]>('pause');

/** How the use of a permit ended. */
export type PermitEnd = { readonly kind: 'answered' | 'withdrawn' } | ({ readonly kind: 'refused' } & Refusal);

/** What such a job tells a limiter, which does not run any more. */
export const releasePermitSignal =
  defineSignal<[{ readonly turnId: string; readonly how: PermitEnd; readonly again?: PermitRequest }]>('endTurn');
