import { ApplicationFailure, log, workflowInfo, type Headers, type WorkflowInterceptors } from '@temporalio/workflow';
import { TRACE_HEADERS } from '../runtime/trace-headers.ts';
import { isKnownSignal, isObject } from './signals.ts';

/**
 * Looks at what comes into a workflow before it acts. Whoever reaches Temporal can start and signal any, and what throws in
 * workflow code would be tried again for ever: what is no object ends a workflow at once, a wrong signal is left out. Fields
 * are looked at by the first activity (worker/create-workers.ts), which ends a workflow with wrong ones before it has acted.
 */
export const interceptors = (): WorkflowInterceptors => {
  let trace: Headers = {};
  const withTrace = <Input extends { readonly headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...trace },
  });
  return {
    inbound: [
      {
        // Not async: an added step would change the order of what running jobs have done already.
        execute(input, next) {
          trace = Object.fromEntries(Object.entries(input.headers).filter(([name]) => isOfTrace(name)));
          if (input.args.length === 1 && isObject(input.args[0])) return next(input);
          const refusal = `${workflowInfo().workflowType} refuses its input: argument 1: must be an object`;
          return Promise.reject(ApplicationFailure.nonRetryable(refusal, 'invalid-input'));
        },
        handleSignal(input, next) {
          if (isKnownSignal(input.signalName, input.args)) return next(input);
          log.warn('a signal was left out', { signal: input.signalName });
          return Promise.resolve();
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        scheduleLocalActivity: (input, next) => next(withTrace(input)),
        startChildWorkflowExecution: (input, next) => next(withTrace(input)),
      },
    ],
  };
};

function isOfTrace(name: string): boolean {
  return (TRACE_HEADERS as readonly string[]).includes(name);
}
