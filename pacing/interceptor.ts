import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { FAILURE_FAULTS, FAILURES, type FailureCode } from '../contract/failures.ts';
import type { Breakers, UseEnd } from './breakers.ts';
import { MAX_OWN_FAULTS, reportedIn, retryOf, retryStateIn } from './retries.ts';
import { isPlatformRefusal, QUEUED, routeIn } from './routes.ts';
import type { Shares } from './slots.ts';

/** The longest waits for a circuit breaker: an activity learns only from its next attempt that the breaker was closed. */
const LONGEST_WAIT_MS = { gated: 60_000, other: 300_000 } as const;
const LEAST_WAIT_MS = 1_000;
const BUSY_LONGEST_MS = 15_000;
const DATABASE_WAIT_MS = 5_000;

interface PacedOptions {
  readonly breakers?: Breakers;
  readonly shares?: Shares;
  /** Whether the worker polls the queue only while the circuit breaker lets activities start. */
  readonly isGated?: boolean;
  readonly delaysSeconds: readonly number[];
}

/**
 * Runs activities only while the circuit breaker of their route allows it, and decides when failed ones run again. Neither a
 * wait nor a refusal by the platform uses up an attempt.
 */
export function pacedActivities(options: PacedOptions): ActivityInterceptorsFactory {
  const { breakers, shares, isGated = false, delaysSeconds } = options;
  return ({ info, heartbeat }) => ({
    inbound: {
      async execute(input, next) {
        const state = retryStateIn(info.heartbeatDetails);
        if (info.attempt - state.waits - state.upstreamFaults - state.spaceWaits > MAX_OWN_FAULTS)
          throw ApplicationFailure.nonRetryable(FAILURES.failedTooOften.message, 'internal', 'internal');
        const wait = (code: FailureCode, reason: string, delayMs: number): ApplicationFailure => {
          heartbeat({ stage: 'waiting', retry: { ...state, waits: state.waits + 1 } });
          // The attempt did not begin its work, so neither logs nor alerts report it.
          const category = ApplicationFailureCategory.BENIGN;
          return new ApplicationFailure(reason, 'waiting', false, [code], undefined, Math.ceil(delayMs), category);
        };
        const route = routeIn(info.activityId);
        const breaker = route === undefined ? undefined : breakers?.of(route);
        const leave = shares?.(route ?? '', info.priority?.fairnessKey ?? '');
        if (shares !== undefined && leave === undefined) {
          const busyMs = Math.min(LEAST_WAIT_MS * 2 ** state.waits, BUSY_LONGEST_MS);
          throw wait('upstream_timeout', QUEUED, busyMs * (0.5 + Math.random() / 2));
        }
        try {
          const entered = await breaker?.enter().catch(() => 'no database' as const);
          if (entered === 'no database') throw wait('internal', FAILURES.databaseUnreachable.message, DATABASE_WAIT_MS);
          if (entered && 'open' in entered)
            throw wait(entered.open.code, entered.open.reason, pauseMs(entered.waitMs, isGated));
          try {
            const result: unknown = await next(input);
            await entered?.end('answered');
            return result;
          } catch (error) {
            await entered?.end(endOf(error));
            const found = await breaker?.open().catch(() => undefined);
            const pause = breaker === undefined ? undefined : pauseMs(found?.waitMs ?? 0, isGated);
            const retry = retryOf(error, state, { delaysSeconds, pauseMs: pause });
            // The SDK sends this heartbeat before the failure.
            if (retry.state !== state) heartbeat({ stage: 'waiting', retry: retry.state });
            throw retry.failure;
          }
        } finally {
          leave?.();
        }
      },
    },
  });
}

/** On a queue that is not gated, the waits are spread, so that the activities do not all return at once. */
function pauseMs(waitMs: number, isGated: boolean): number {
  const boundedMs = Math.max(LEAST_WAIT_MS, Math.min(waitMs, LONGEST_WAIT_MS[isGated ? 'gated' : 'other']));
  return isGated ? boundedMs : boundedMs * (1 + Math.random() / 10);
}

/** A private video shows that the platform answers. A full disk or a cancellation shows nothing about it. */
function endOf(error: unknown): UseEnd {
  const reported = error instanceof ApplicationFailure && error.nonRetryable === true ? reportedIn(error) : undefined;
  if (reported === undefined || FAILURE_FAULTS[reported.code] === 'internal') return 'unknown';
  return isPlatformRefusal(reported.code) ? reported : 'answered';
}
