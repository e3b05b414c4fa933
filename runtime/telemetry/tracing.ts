import { setTimeout as delay } from 'node:timers/promises';
import type { Attributes, Context } from '@opentelemetry/api';
import type { Logger } from 'pino';

/** Headers of W3C Trace Context: `traceparent`, and `tracestate` where there is one. */
export type TraceHeaders = Readonly<Record<string, string>>;

interface SpanFacts {
  readonly name: string;
  readonly kind: 'server' | 'consumer';
  /** Headers of the trace to continue. Without `traceparent`, a new trace starts. */
  readonly headers: TraceHeaders;
  readonly attributes?: Attributes;
}

/** A span for work that has already ended. */
interface PastSpan {
  readonly name: string;
  readonly startedMs: number;
  readonly attributes?: Attributes;
  /** Headers of the parent. Default: the active span; without one, nothing is recorded. */
  readonly headers?: TraceHeaders;
}

export type Tracing = Awaited<ReturnType<typeof startTracing>>;

const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Sends spans of a part of the service to a collector (OTLP as JSON over HTTP). Spans that it does not accept are dropped and
 * logged. The libraries are loaded here, so that a process without tracing does not need them.
 */
export async function startTracing(part: string, { url, log }: { readonly url: string; readonly log: Logger }) {
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
    /** Runs work in a span. @param isFault whether an error marks the span as failed; default: every error */
    async inSpan<Result>(
      { name, kind, headers, attributes = {} }: SpanFacts,
      work: () => Promise<Result>,
      isFault: (error: unknown) => boolean = () => true,
    ): Promise<Result> {
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
    past({ name, startedMs, attributes = {}, headers }: PastSpan): void {
      const parent = headers === undefined ? contexts.active() : contextOf(headers);
      if (trace.getSpan(parent) === undefined) return;
      tracer.startSpan(name, { startTime: startedMs, attributes }, parent).end();
    },
    /** @returns headers that continue the active span; empty without one */
    headers: (): TraceHeaders => {
      const carrier: Record<string, string> = {};
      propagator.inject(contexts.active(), carrier, defaultTextMapSetter);
      return carrier;
    },
    traceId: (): string | undefined => trace.getSpanContext(contexts.active())?.traceId,
    /** Sends the remaining spans, within a time limit. */
    close: (): Promise<void> => Promise.race([provider.shutdown(), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]),
  };
}
