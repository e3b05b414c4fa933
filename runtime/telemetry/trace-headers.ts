import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** Headers of W3C Trace Context, which what serves a request hands on to what it starts. */
export const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** The field of a job's memo with the id of the request that began it, which operators see too. */
export const MEMO_REQUEST = 'request';
/** The header by which a workflow tells its steps and its webhooks whose job it is. Like search attributes, it is never encrypted. */
export const JOB_HEADER = 'tapedeck-job';

/** Of a job, for the lines that are logged of its steps. */
export interface JobFacts {
  /** Of the request that began it, where a caller's request did. */
  readonly requestId?: string;
  readonly mediaId?: string;
  /** The id of a key, or a word such as `anonymous`. */
  readonly caller?: string;
}

const FACTS = ['requestId', 'mediaId', 'caller'] as const satisfies readonly (keyof JobFacts)[];
const FACT_MAX_CHARS = 1_000;

/** What ids of other systems are made of. Nothing in it ends a line or a header, or means anything to a shell or a page. */
const REQUEST_ID = /^[\w.:@/+=-]{1,128}$/;

/** @returns the id of a request as somebody else told it; undefined where it is none that may be repeated */
export function requestIdIn(value: unknown): string | undefined {
  return typeof value === 'string' && REQUEST_ID.test(value) ? value : undefined;
}

/** What is told of a job in the headers of its workflow or of one of its steps. Whoever reaches Temporal can tell anything. */
export function jobFactsIn(headers: Headers): JobFacts {
  const told = valueIn(headers, JOB_HEADER);
  return typeof told === 'object' && told !== null ? jobFactsOf(told) : {};
}

/** @returns undefined also for what cannot be read: a workflow that threw by it would be tried again for ever */
function valueIn(headers: Headers, name: string): unknown {
  const payload = headers[name];
  try {
    return payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}

/** The facts among what is told. */
export function jobFactsOf(told: object): JobFacts {
  const { requestId, ...facts }: JobFacts = Object.fromEntries(
    FACTS.flatMap((name) => {
      const value = (told as Readonly<Record<string, unknown>>)[name];
      return typeof value === 'string' && value.length <= FACT_MAX_CHARS ? [[name, value] as const] : [];
    }),
  );
  const checked = requestIdIn(requestId);
  return checked === undefined ? facts : { requestId: checked, ...facts };
}
