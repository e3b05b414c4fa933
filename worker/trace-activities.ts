import type { Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { decodeTime } from 'ulid';
import type { FinishedJob } from '../activities/job-records.ts';
import { programRuns } from '../runtime/telemetry/diagnostics.ts';
import type { TraceHeaders, Tracing } from '../runtime/telemetry/tracing.ts';
import { TRACE_HEADERS, valueIn } from '../runtime/telemetry/trace-headers.ts';

/** A span for each attempt at an activity of a traced job, for the programs in it, and at its end for the job. */
export function traceActivities(tracing: Tracing): ActivityInterceptorsFactory {
  programRuns.subscribe(({ program, seconds, end }) => {
    tracing.past({ name: program, startedMs: Date.now() - seconds * 1000, attributes: { end } });
  });
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const headers = headersIn(input.headers);
        if (headers['traceparent'] === undefined) return next(input);
        const { activityType: name, attempt, workflowType = 'none' } = info;
        const attributes = { attempt, kind: workflowType, workflow: info.workflowExecution?.workflowId ?? 'none' };
        const result = await tracing.inSpan({ name, kind: 'consumer', headers, attributes }, () => next(input));
        if (name === 'finishJob') {
          const { recordId, outcome } = input.args[0] as FinishedJob;
          const how = { download: recordId, outcome: outcome.status };
          tracing.past({ name: `job ${workflowType}`, startedMs: decodeTime(recordId), headers, attributes: how });
        }
        return result;
      },
    },
  });
}

function headersIn(headers: Headers): TraceHeaders {
  const found = TRACE_HEADERS.flatMap((name) => {
    const value = valueIn(headers, name);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}
