import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Meter, MetricOptions } from '@opentelemetry/api';
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

export type Labels<Row extends Metric> = Readonly<Record<Row['labels'][number], string>>;

/** Creates the instruments of a table of metrics. */
export interface Instruments<Table extends Readonly<Record<string, Metric>>> {
  counter<Name extends keyof Table & string>(name: Name): (labels: Labels<Table[Name]>, add?: number) => void;
  upDownCounter<Name extends keyof Table & string>(name: Name): (labels: Labels<Table[Name]>, add: number) => void;
  histogram<Name extends keyof Table & string>(name: Name): (labels: Labels<Table[Name]>, value: number) => void;
  /** Reads values whenever the page is requested. If reading fails or takes too long, it is logged and the values are left out. */
  gauges<Name extends keyof Table & string>(names: readonly Name[], read: ReadGauges<Table, Name>): void;
}
type ReadGauges<Table extends Readonly<Record<string, Metric>>, Name extends keyof Table> = (
  observe: (name: Name, labels: Labels<Table[Name]>, value: number) => void,
) => Promise<void>;

/** The metrics of a process, and their page for Prometheus. */
export interface Metrics {
  instruments<const Table extends Readonly<Record<string, Metric>>>(table: Table): Instruments<Table>;
  readonly page: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Creates the metrics of a process. The libraries are loaded here, so that a process without metrics does not need them. */
export async function createMetrics(log: Logger): Promise<Metrics> {
  const [{ PrometheusExporter }, { MeterProvider }] = await Promise.all([
    import('@opentelemetry/exporter-prometheus'),
    import('@opentelemetry/sdk-metrics'),
  ]);
  const page = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true, withoutTargetInfo: true });
  const meter = new MeterProvider({ readers: [page] }).getMeter('tapedeck');
  return {
    instruments: (table) => instrumentsOf(meter, table, log),
    page: (request, response) => page.getMetricsRequestHandler(request, response),
  };
}

function instrumentsOf<Table extends Readonly<Record<string, Metric>>>(
  meter: Meter,
  table: Table,
  log: Logger,
): Instruments<Table> {
  const definition = (name: keyof Table & string): [string, MetricOptions] => {
    const { description, advice } = table[name] as Metric;
    return [`tapedeck_${name}`, { description, ...(advice === undefined ? {} : { advice }) }];
  };
  return {
    counter(name) {
      const own = meter.createCounter(...definition(name));
      return (labels, add = 1) => own.add(add, labels);
    },
    upDownCounter(name) {
      const own = meter.createUpDownCounter(...definition(name));
      return (labels, add) => own.add(add, labels);
    },
    histogram(name) {
      const own = meter.createHistogram(...definition(name));
      return (labels, value) => own.record(value, labels);
    },
    gauges<Name extends keyof Table & string>(names: readonly Name[], read: ReadGauges<Table, Name>) {
      const own = new Map(names.map((name) => [name, meter.createObservableGauge(...definition(name))]));
      meter.addBatchObservableCallback(
        async (observer) => {
          const seen: [name: Name, labels: Labels<Table[Name]>, value: number][] = [];
          try {
            await inTime(read((...one) => seen.push(one)));
            for (const [name, labels, value] of seen) {
              const gauge = own.get(name);
              if (gauge !== undefined) observer.observe(gauge, value, labels);
            }
          } catch (error) {
            log.warn({ err: error, metrics: names }, 'metrics could not be read');
          }
        },
        [...own.values()],
      );
    },
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const timeout = delay(READ_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${String(READ_TIMEOUT_MS)} ms`);
  });
  await Promise.race([work, timeout]);
}
