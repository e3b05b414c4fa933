import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchObservableResult, Meter, MetricOptions, ObservableGauge } from '@opentelemetry/api';
import type { Logger } from 'pino';

/** A metric on the metrics page, where its name begins with `tapedeck_`. */
export interface Metric extends Pick<MetricOptions, 'advice'> {
  readonly description: string;
  readonly labels: readonly string[];
}

/** Buckets from a read of memory to the longest wait for a job. */
export const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Buckets from a write to the database to a recording of hours. */
export const WORK_SECONDS = [0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 14_400];

/** Limit for reading gauges, so that an unavailable database does not make the process itself look unavailable. */
const READ_TIMEOUT_MS = 2_000;

type Labels<Row extends Metric> = Readonly<Record<Row['labels'][number], string>>;
type MetricTable = Readonly<Record<string, Metric>>;

export type Metrics = Awaited<ReturnType<typeof createMetrics>>;

/** Creates the metrics of a process, and their page for Prometheus. The libraries are loaded here, so that a process without metrics does not need them. */
export async function createMetrics(log: Logger) {
  const [{ PrometheusExporter }, { MeterProvider }] = await Promise.all([
    import('@opentelemetry/exporter-prometheus'),
    import('@opentelemetry/sdk-metrics'),
  ]);
  const page = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true, withoutTargetInfo: true });
  const meter = new MeterProvider({ readers: [page] }).getMeter('tapedeck');
  return {
    instruments: <const Table extends MetricTable>(table: Table) => instrumentsOf(meter, table, log),
    page: (request: IncomingMessage, response: ServerResponse): void =>
      page.getMetricsRequestHandler(request, response),
  };
}

function instrumentsOf<const Table extends MetricTable>(meter: Meter, table: Table, log: Logger) {
  const definition = (name: keyof Table & string): [string, MetricOptions] => {
    const { labels: _labels, ...options } = table[name] as Metric;
    return [`tapedeck_${name}`, options];
  };
  return {
    counter<Name extends keyof Table & string>(name: Name) {
      const own = meter.createCounter(...definition(name));
      return (labels: Labels<Table[Name]>, add = 1): void => own.add(add, labels);
    },
    upDownCounter<Name extends keyof Table & string>(name: Name) {
      const own = meter.createUpDownCounter(...definition(name));
      return (labels: Labels<Table[Name]>, add: number): void => own.add(add, labels);
    },
    histogram<Name extends keyof Table & string>(name: Name) {
      const own = meter.createHistogram(...definition(name));
      return (labels: Labels<Table[Name]>, value: number): void => own.record(value, labels);
    },
    /** Reads values whenever the page is requested. If reading fails or takes too long, it is logged and the values are left out. */
    gauges<Name extends keyof Table & string>(
      names: readonly Name[],
      read: (observe: (name: Name, labels: Labels<Table[Name]>, value: number) => void) => Promise<void>,
    ): void {
      const own = new Map(names.map((name) => [name, meter.createObservableGauge(...definition(name))]));
      const onRead = async (observer: BatchObservableResult): Promise<void> => {
        const seen: [name: Name, value: number, labels: Labels<Table[Name]>][] = [];
        try {
          await inTime(read((name, labels, value) => seen.push([name, value, labels])));
          for (const [name, ...one] of seen) observer.observe(own.get(name) as ObservableGauge, ...one);
        } catch (error) {
          log.warn({ err: error, metrics: names }, 'metrics could not be read');
        }
      };
      meter.addBatchObservableCallback(onRead, [...own.values()]);
    },
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const timeout = delay(READ_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${String(READ_TIMEOUT_MS)} ms`);
  });
  await Promise.race([work, timeout]);
}
