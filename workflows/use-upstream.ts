import type { UpstreamUse, Waiting } from '../runtime/pacing.ts';
import type { Place } from './place.ts';

/** Uses an upstream when it may be used, and again when it failed in passing. The work hands on its place to its activity. */
export type UseUpstream = <Result>(use: UpstreamUse, work: (place: Place) => Promise<Result>) => Promise<Result>;

/** Waits before a subject is asked for again; a platform that fails recovers within minutes or not at all. */
export const UPSTREAM_DELAYS_SECONDS = [2, 10, 30, 60] as const;

/** Told of what happens to a use of an upstream. */
export interface UseEvents {
  readonly onWork: () => void;
  /** The upstream did not do its part. The job waits for its turn, or backs off by itself. */
  readonly onUpstreamFailure: (message: string, stage: 'waiting' | 'backing-off') => void;
  /** The job waits for what it alone knows; told again without a reason when it goes on. */
  readonly onShortage: (waiting: Waiting | undefined) => void;
}
