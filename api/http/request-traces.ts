import { defaultPayloadConverter } from '@temporalio/common';
import type { ClientInterceptors } from '@temporalio/client';
import type { Middleware } from 'h3';
import { ERROR_TABLE } from '../../contract/http/api-error.ts';
import type { TraceHeaders, Tracing } from '../../runtime/telemetry/tracing.ts';
import { TRACE_HEADERS } from '../../runtime/telemetry/trace-headers.ts';
import { toApiError } from './to-api-error.ts';

export function traceHeadersIn(header: (name: string) => string | string[] | null | undefined): TraceHeaders {
  return Object.fromEntries(
    TRACE_HEADERS.flatMap((name) => {
      const value = header(name);
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}

export function traceRequests(tracing: Tracing): Middleware {
  return (event, next) => {
    const route = event.context.matchedRoute?.route ?? 'none';
    const headers = traceHeadersIn((name) => event.req.headers.get(name));
    return tracing.inSpan(
      { name: `${event.req.method} ${route}`, kind: 'server', headers },
      () => Promise.resolve(next()),
      (error) => ERROR_TABLE[toApiError(error).code].http >= 500,
    );
  };
}

export function tracingInterceptors(tracing: Tracing): ClientInterceptors {
  return {
    workflow: [
      {
        startWithDetails: (input, next) => {
          const headers = { ...input.headers };
          for (const [name, value] of Object.entries(tracing.headers()))
            headers[name] = defaultPayloadConverter.toPayload(value);
          return next({ ...input, headers });
        },
      },
    ],
  };
}
