import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Meter, MetricOptions } from '@opentelemetry/api';
import type { Logger } from 'pino';

/** What a metric counts or measures, as the page of metrics tells it. Its name there begins with `tapedeck_`. */
export interface Metric extends Pick<MetricOptions, 'advice'> {
  readonly description: string;
  /** Names of what it is told apart by. */
  readonly labels: readonly string[];
}

/** From a look into memory to the longest wait for a job. */
export const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** From a write to the database to a recording of hours. */
export const WORK_SECONDS = [0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 14_400];

/** Who asks for the page waits no longer for what is looked up: without an answer, a database that is away would be a process that is. */
const LOOK_MS = 2_000;

export type Labels<Row extends Metric> = Readonly<Record<Row['labels'][number], string>>;

/** Measures what the rows of a table describe. */
export interface Instruments<Table extends Readonly<Record<string, Metric>>> {
  counter<Name extends keyof Table & string>(name: Name): (labels: Labels<Table[Name]>, add?: number) => void;
  /** A count that goes down too. */
  level<Name extends keyof Table & string>(name: Name): (labels: Labels<Table[Name]>, add: number) => void;
  histogram<Name extends keyof Table & string>(name: Name): (labels: Labels<Table[Name]>, value: number) => void;
  /** Values that are looked up whenever the page is read. A look that fails, or takes too long, leaves them out, and is logged. */
  looked<Name extends keyof Table & string>(names: readonly Name[], look: Look<Table, Name>): void;
}
type Look<Table extends Readonly<Record<string, Metric>>, Name extends keyof Table> = (
  observe: (name: Name, labels: Labels<Table[Name]>, value: number) => void,
) => Promise<void>;

/** The metrics of a process, and the page that tells them to Prometheus. */
export interface Metrics {
  instruments<const Table extends Readonly<Record<string, Metric>>>(table: Table): Instruments<Table>;
  readonly page: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Loads what measures: whoever does not call it pays nothing. */
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
  const told = (name: keyof Table & string): [string, MetricOptions] => {
    const { description, advice } = table[name] as Metric;
    return [`tapedeck_${name}`, { description, ...(advice === undefined ? {} : { advice }) }];
  };
  return {
    counter(name) {
      const own = meter.createCounter(...told(name));
      return (labels, add = 1) => own.add(add, labels);
    },
    level(name) {
      const own = meter.createUpDownCounter(...told(name));
      return (labels, add) => own.add(add, labels);
    },
    histogram(name) {
      const own = meter.createHistogram(...told(name));
      return (labels, value) => own.record(value, labels);
    },
    looked<Name extends keyof Table & string>(names: readonly Name[], look: Look<Table, Name>) {
      const own = new Map(names.map((name) => [name, meter.createObservableGauge(...told(name))]));
      meter.addBatchObservableCallback(
        async (observer) => {
          const seen: [name: Name, labels: Labels<Table[Name]>, value: number][] = [];
          try {
            await inTime(look((...one) => seen.push(one)));
            for (const [name, labels, value] of seen) {
              const gauge = own.get(name);
              if (gauge !== undefined) observer.observe(gauge, value, labels);
            }
          } catch (error) {
            log.warn({ err: error, metrics: names }, 'metrics could not be looked up');
          }
        },
        [...own.values()],
      );
    },
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = delay(LOOK_MS, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${String(LOOK_MS)} ms`);
  });
  await Promise.race([work, late]).finally(() => over.abort());
}
