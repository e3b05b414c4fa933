import { ApplicationFailure, log, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { refusalOf } from '../runtime/inputs/check.ts';
import { signalInputs, workflowInputs } from './inputs.ts';

/**
 * Looks at what comes into a workflow before it acts. Whoever reaches Temporal can start and signal any: wrong input ends a
 * workflow at once, a wrong signal is left out, and what throws in workflow code would be tried again for ever.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      // Not async: an added step would change the order of what running jobs have done already.
      execute(input, next) {
        const refusal = refusalOf(workflowInputs, workflowInfo().workflowType, input.args);
        if (refusal !== undefined) return Promise.reject(ApplicationFailure.nonRetryable(refusal, 'invalid-input'));
        return next(input);
      },
      handleSignal(input, next) {
        const refusal = refusalOf(signalInputs, input.signalName, input.args);
        if (refusal === undefined) return next(input);
        log.warn('a signal was left out', { refusal });
        return Promise.resolve();
      },
    },
  ],
});
