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
import { isKnownSignal } from './lifecycle/messages.ts';

/**
 * Checks the input of workflows, because anyone who reaches Temporal can start and signal them, and an error in workflow code would
 * be retried forever. An input that is not an object ends the workflow; an unknown signal is ignored. The first activity
 * (worker/create-workers.ts) checks the fields of the input before the workflow acts.
 */
export const interceptors = (): WorkflowInterceptors => {
  let headers: Headers = {};
  const withHeaders = <Input extends { readonly headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...headers },
  });
  return {
    inbound: [
      {
        // This is not async, because another step would change the order of commands in running jobs.
        execute(input, next) {
          headers = headersFrom(input);
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

/** @returns the trace, and facts of the job, for activities and child workflows; a child inherits the facts that it lacks */
function headersFrom({ headers, args: [job] }: WorkflowExecuteInput): Headers {
  const trace = Object.fromEntries(TRACE_HEADERS.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
  const requestId = workflowInfo().memo?.[MEMO_REQUEST];
  const own = isObject(job) ? jobFactsOf({ ...job, requestId, caller: job['chargedTo'] ?? job['startedBy'] }) : {};
  const facts = { ...jobFactsIn(headers), ...own };
  if (Object.keys(facts).length === 0) return trace;
  return { ...trace, [JOB_HEADER]: defaultPayloadConverter.toPayload(facts) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
