import {
  ApplicationFailure,
  defaultPayloadConverter,
  log,
  workflowInfo,
  type Headers,
  type WorkflowExecuteInput,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { JOB_HEADER, jobFactsIn, jobFactsOf, MEMO_REQUEST, TRACE_HEADERS } from '../runtime/telemetry/trace-headers.ts';
import { isKnownSignal, isObject } from './lifecycle/known-signals.ts';

/**
 * Looks at what comes into a workflow before it acts. Whoever reaches Temporal can start and signal any, and what throws in
 * workflow code would be tried again for ever: what is no object ends a workflow at once, a wrong signal is left out. Fields
 * are looked at by the first activity (worker/create-workers.ts), which ends a workflow with wrong ones before it has acted.
 */
export const interceptors = (): WorkflowInterceptors => {
  let handedOn: Headers = {};
  const withHeaders = <Input extends { readonly headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...handedOn },
  });
  return {
    inbound: [
      {
        // Not async: an added step would change the order of what running jobs have done already.
        execute(input, next) {
          handedOn = headersFrom(input);
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
        scheduleActivity: (input, next) => next(withHeaders(input)),
        scheduleLocalActivity: (input, next) => next(withHeaders(input)),
        startChildWorkflowExecution: (input, next) => next(withHeaders(input)),
      },
    ],
  };
};

/** What steps and webhooks are told: the trace, and whose job it is. A child has it of its parent, as far as it knows nothing better. */
function headersFrom({ headers, args: [job] }: WorkflowExecuteInput): Headers {
  const trace = Object.fromEntries(Object.entries(headers).filter(([name]) => isOfTrace(name)));
  const requestId = workflowInfo().memo?.[MEMO_REQUEST];
  const own = isObject(job) ? jobFactsOf({ ...job, requestId, caller: job['chargedTo'] ?? job['startedBy'] }) : {};
  const facts = { ...jobFactsIn(headers), ...own };
  if (Object.keys(facts).length === 0) return trace;
  return { ...trace, [JOB_HEADER]: defaultPayloadConverter.toPayload(facts) };
}

function isOfTrace(name: string): boolean {
  return (TRACE_HEADERS as readonly string[]).includes(name);
}
