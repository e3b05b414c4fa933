import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { activityInputs } from '../activities/inputs.ts';
import { refusalOf } from '../runtime/inputs/check.ts';

/** Looks at what an activity is asked to do before it acts: it may become a path, a URL, or what is removed. */
export const checkInputs: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const refusal = refusalOf(activityInputs, info.activityType, input.args);
      if (refusal !== undefined) return Promise.reject(ApplicationFailure.nonRetryable(refusal, 'invalid-input'));
      return next(input);
    },
  },
});
