import { setTimeout as delay } from 'node:timers/promises';
import type { Attributes, Context } from '@opentelemetry/api';
import type { Logger } from 'pino';

/** Headers of W3C Trace Context: `traceparent`, and `tracestate` where there is one. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface SpanFacts {
  readonly name: string;
  readonly kind: 'server' | 'consumer';
  /** Where the span goes on from, if somebody said so; otherwise a trace begins. */
  readonly headers: TraceHeaders;
  readonly attributes?: Attributes;
}

/** Something that has ended already. */
export interface PastSpan {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedMs: number;
  readonly attributes?: Attributes;
  /** What it belongs to; otherwise the span under way, without which it is left out. */
  readonly headers?: TraceHeaders;
}

/** The spans of a process. */
export interface Tracing {
  /** Runs work in a span. @param isFault whether what it threw is a fault of ours */
  inSpan<Result>(facts: SpanFacts, work: () => Promise<Result>, isFault?: (error: unknown) => boolean): Promise<Result>;
  past(span: PastSpan): void;
  /** What hands the span under way on; empty without one. */
  readonly headers: () => TraceHeaders;
  /** Id of the trace under way. */
  traceId(): string | undefined;
  /** Sends what was not sent yet, as far as that is soon. */
  close(): Promise<void>;
}

const CLOSING_MS = 2_000;

/**
 * Loads what traces, and sends spans to a collector; what it does not take is dropped, and that is logged.
 *
 * @param part such as `api`
 * @param options.url of a collector, for OTLP as JSON over HTTP
 */
export async function startTracing(
  part: string,
  { url, log }: { readonly url: string; readonly log: Logger },
): Promise<Tracing> {
  const [{ AsyncLocalStorageContextManager }, core, { resourceFromAttributes }, sdk, { OTLPTraceExporter }, api] =
    await Promise.all([
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/api'),
    ]);
  const { trace, defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };
  core.setGlobalErrorHandler((error) => log.warn({ err: error }, 'spans could not be sent'));
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `tapedeck-${part}` }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer('tapedeck');
  const propagator = new core.W3CTraceContextPropagator();
  const contexts = new AsyncLocalStorageContextManager().enable();
  const contextOf = (headers: TraceHeaders): Context => propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
  return {
    async inSpan({ name, kind, headers, attributes = {} }, work, isFault = () => true) {
      const from = contextOf(headers);
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, from);
      try {
        return await contexts.with(trace.setSpan(from, span), work);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (isFault(error)) span.setStatus({ code: SpanStatusCode.ERROR, message });
        throw error;
      } finally {
        span.end();
      }
    },
    past({ name, startedMs, attributes = {}, headers }) {
      const within = headers === undefined ? contexts.active() : contextOf(headers);
      if (trace.getSpan(within) === undefined) return;
      tracer.startSpan(name, { startTime: startedMs, attributes }, within).end();
    },
    headers: () => {
      const carrier: Record<string, string> = {};
      propagator.inject(contexts.active(), carrier, defaultTextMapSetter);
      return carrier;
    },
    traceId: () => trace.getSpanContext(contexts.active())?.traceId,
    close: () => Promise.race([provider.shutdown(), delay(CLOSING_MS, undefined, { ref: false })]),
  };
}
