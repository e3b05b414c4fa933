import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type {
  ActivityExecuteInput,
  ActivityInterceptorsFactory,
  Next,
  ActivityInboundCallsInterceptor,
} from '@temporalio/worker';
import { FAILURE_FAULTS, type FailureCode } from '../../contract/failures.ts';
import { isPlatformRefusal, NOT_NOW, siteUseOf, TURNED_AWAY, type NotNowDetails } from '../../runtime/pacing.ts';
import type { Budget } from './budget.ts';
import type { NotNow, Use, UseEnd } from './uses.ts';

type Execute = Next<ActivityInboundCallsInterceptor, 'execute'>;

/** For the worker of a route: its activities begin with the permit by which their task was taken. */
export function pacedBy(budget: Budget): ActivityInterceptorsFactory {
  return () => ({
    inbound: {
      async execute(input, next) {
        const use = budget.enter();
        // The pause came while the poll for this task was under way.
        if (!('end' in use)) throw putOff(TURNED_AWAY, use);
        return runUse(use, input, next);
      },
    },
  });
}

/** For the worker of all other sites: each task tells by its id which site it uses, and comes back later when that is busy. */
export function pacedBySite(budgetOf: (site: string) => Promise<Budget>): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const site = siteUseOf(info.activityId);
        if (site === undefined) return next(input);
        const budget = await budgetOf(site);
        const entered = await budget.tryEnter();
        if (!('use' in entered)) throw putOff(NOT_NOW, entered);
        try {
          return await runUse(entered.use, input, next);
        } finally {
          entered.release();
        }
      },
    },
  });
}

/** For what uses a platform without a permit of its own: a refusal counts all the same. */
export function reportingTo(budgetOf: (activity: string) => Budget | undefined): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const budget = budgetOf(info.activityType);
        if (budget === undefined) return next(input);
        const use = budget.watch();
        return runUse(use, input, next);
      },
    },
  });
}

async function runUse(use: Use, input: ActivityExecuteInput, next: Execute): Promise<unknown> {
  try {
    const result: unknown = await next(input);
    await use.end({ kind: 'answered' });
    return result;
  } catch (error) {
    await use.end(endOf(error));
    throw error;
  }
}

/** A private video shows that the platform answers; a worker without disk space, or a cancellation, shows nothing. */
function endOf(error: unknown): UseEnd {
  if (!(error instanceof ApplicationFailure)) return { kind: 'withdrawn' };
  const [code, retryAtMs] = (error.details ?? []) as readonly unknown[];
  if (typeof code !== 'string' || !(code in FAILURE_FAULTS) || error.nonRetryable !== true)
    return { kind: 'withdrawn' };
  const told = code as FailureCode;
  if (isPlatformRefusal(told)) {
    const refusal = { code: told, message: error.message, ...(typeof retryAtMs === 'number' ? { retryAtMs } : {}) };
    return { kind: 'refused', refusal };
  }
  const fault = FAILURE_FAULTS[told];
  return { kind: fault === 'subject' || fault === 'upstream' ? 'answered' : 'withdrawn' };
}

/** The workflow goes on by it as by a wait, not a failure. */
function putOff(type: typeof TURNED_AWAY | typeof NOT_NOW, { reason, ...details }: NotNow): ApplicationFailure {
  return ApplicationFailure.create({
    ...{ message: reason, type, nonRetryable: true, category: ApplicationFailureCategory.BENIGN },
    details: [details satisfies NotNowDetails],
  });
}
