/** Headers of W3C Trace Context, which what serves a request hands on to what it starts. */
export const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;
