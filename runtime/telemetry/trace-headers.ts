import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** Headers of W3C Trace Context, which continue a trace in a workflow or request. */
export const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** The memo field with the ID of the request that started a job. Operators see it in the Web UI. */
export const MEMO_REQUEST = 'request';
/** The header with the {@link JobFacts} for activities and deliveries. Like search attributes, it is never encrypted. */
export const JOB_HEADER = 'tapedeck-job';

/** Facts of a job for the log lines of its activities. */
export interface JobFacts {
  /** The ID of the request that started the job; absent if another job did. */
  readonly requestId?: string;
  readonly mediaId?: string;
  readonly caller?: string;
}

const FACTS = ['requestId', 'mediaId', 'caller'] as const satisfies readonly (keyof JobFacts)[];
const FACT_MAX_CHARS = 1_000;

/** The characters of the IDs of common systems, none of which has a meaning in a header, a shell or HTML. */
const REQUEST_ID = /^[\w.:@/+=-]{1,128}$/;

/** @returns undefined if the request ID of another system is not safe to repeat */
export function requestIdIn(value: unknown): string | undefined {
  return typeof value === 'string' && REQUEST_ID.test(value) ? value : undefined;
}

/** @returns the facts in the headers of a workflow or activity, checked, because any client of Temporal can set headers */
export function jobFactsIn(headers: Headers): JobFacts {
  const value = valueIn(headers, JOB_HEADER);
  return typeof value === 'object' && value !== null ? jobFactsOf(value) : {};
}

/** @returns undefined also for a malformed header, because a workflow that throws at it would be retried without end */
export function valueIn(headers: Headers, name: string): unknown {
  const payload = headers[name];
  try {
    return payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}

export function jobFactsOf(fields: object): JobFacts {
  const { requestId, ...facts }: JobFacts = Object.fromEntries(
    FACTS.flatMap((name) => {
      const value = (fields as Readonly<Record<string, unknown>>)[name];
      return typeof value === 'string' && value.length <= FACT_MAX_CHARS ? [[name, value] as const] : [];
    }),
  );
  const checked = requestIdIn(requestId);
  return checked === undefined ? facts : { requestId: checked, ...facts };
}
