import { ApplicationFailure, log, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { isKnownSignal, isObject } from './signals.ts';

/**
 * Looks at what comes into a workflow before it acts. Whoever reaches Temporal can start and signal any, and what throws in
 * workflow code would be tried again for ever: what is no object ends a workflow at once, a wrong signal is left out. Fields
 * are looked at by the first activity (worker/create-workers.ts), which ends a workflow with wrong ones before it has acted.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      // Not async: an added step would change the order of what running jobs have done already.
      execute(input, next) {
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
});
