import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { FAILURE_FAULTS, FAILURES, isFailureCode, type FailureCode } from '../contract/failures.ts';
import type { Breakers, OpenBreaker, Pass, UseEnd } from './breakers.ts';
import { isGivenUp, retryOf, retryStateIn, waitFailure, type RetryState } from './retries.ts';
import { isPlatformRefusal, QUEUED, routeIn } from './routes.ts';
import type { Shares } from './shares.ts';

/** An activity that the circuit breaker holds up comes back after the pause, and now and again to see whether it was ended. */
const LONGEST_WAIT_MS = { gated: 60_000, other: 300_000 } as const;
const LEAST_WAIT_MS = 1_000;
const BUSY_LONGEST_MS = 15_000;
const DATABASE_WAIT_MS = 5_000;

export interface PacedOptions {
  readonly breakers?: Breakers;
  /** Where tasks of many sites come by one queue: the slots that each may have. */
  readonly shares?: Shares;
  /** Whether the worker polls the queue only while the circuit breaker lets tasks through. */
  readonly isGated?: boolean;
  readonly delaysSeconds: readonly number[];
}

/**
 * Runs the activities of a queue by the circuit breaker of the route that their ids name, and decides when those that fail run
 * again. Neither a wait nor a refusal of the platform uses up an attempt.
 */
export function pacedActivities(options: PacedOptions): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      async execute(input, next) {
        const { info } = context;
        const state = retryStateIn(info.heartbeatDetails);
        const wait = (code: FailureCode, reason: string, delayMs: number) =>
          handOn(context, { ...state, waits: state.waits + 1 }, waitFailure(code, reason, delayMs));
        if (isGivenUp(info.attempt, state))
          throw ApplicationFailure.nonRetryable(FAILURES.failedTooOften.message, 'internal', 'internal');
        const route = routeIn(info.activityId);
        const leave = route === undefined ? undefined : options.shares?.(route, info.priority?.fairnessKey ?? '');
        if (route !== undefined && options.shares !== undefined && leave === undefined)
          throw wait('upstream_timeout', QUEUED, busyMs(state));
        try {
          const pass = await enter(options, route).catch(() => undefined);
          if (pass === undefined) throw wait('internal', FAILURES.databaseUnreachable.message, DATABASE_WAIT_MS);
          if ('open' in pass) throw wait(pass.open.code, pass.open.reason, pauseMs(pass, options));
          return await run(pass);
        } finally {
          leave?.();
        }

        async function run(pass: Pass): Promise<unknown> {
          try {
            const result: unknown = await next(input);
            await pass.end('answered');
            return result;
          } catch (error) {
            await pass.end(endOf(error));
            const open = route === undefined ? undefined : await openOf(options, route).catch(() => undefined);
            const retry = retryOf(error, state, {
              delaysSeconds: options.delaysSeconds,
              pauseMs: route === undefined ? undefined : pauseMs(open, options),
            });
            throw retry.state === state ? error : handOn(context, retry.state, retry.failure);
          }
        }
      },
    },
  });
}

const NO_BREAKER: Pass = { end: () => Promise.resolve() };

function enter({ breakers }: PacedOptions, route: string | undefined): Promise<Pass | OpenBreaker> {
  return route === undefined || breakers === undefined ? Promise.resolve(NO_BREAKER) : breakers.of(route).enter();
}

async function openOf({ breakers }: PacedOptions, route: string): Promise<OpenBreaker | undefined> {
  return breakers?.of(route).open();
}

/** The counts outlive this worker when they are in a heartbeat, which the SDK sends before the failure. */
function handOn({ heartbeat }: Context, retry: RetryState, failure: unknown): unknown {
  heartbeat({ stage: 'waiting', retry });
  return failure;
}

/** Where the queue is not gated, those that were held up do not all come back at once. */
function pauseMs(open: OpenBreaker | undefined, { isGated = false }: PacedOptions): number {
  const longestMs = isGated ? LONGEST_WAIT_MS.gated : LONGEST_WAIT_MS.other;
  const waitMs = Math.max(LEAST_WAIT_MS, Math.min(open?.waitMs ?? 0, longestMs));
  return isGated ? waitMs : waitMs * (1 + Math.random() / 10);
}

function busyMs({ waits }: RetryState): number {
  return Math.min(LEAST_WAIT_MS * 2 ** Math.min(waits, 10), BUSY_LONGEST_MS) * (0.5 + Math.random() / 2);
}

/** A private video shows that the platform answers; a worker without disk space, or a cancellation, shows nothing. */
function endOf(error: unknown): UseEnd {
  if (!(error instanceof ApplicationFailure)) return 'unknown';
  const [code, retryAtMs] = (error.details ?? []) as readonly unknown[];
  if (!isFailureCode(code) || error.nonRetryable !== true) return 'unknown';
  if (isPlatformRefusal(code))
    return { code, message: error.message, ...(typeof retryAtMs === 'number' ? { retryAtMs } : {}) };
  return FAILURE_FAULTS[code] === 'internal' ? 'unknown' : 'answered';
}
