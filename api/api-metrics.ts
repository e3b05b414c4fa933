import { REQUEST_SECONDS, type Metric, type Metrics } from '../runtime/telemetry/metrics.ts';
import type { AdmissionQueue } from './admission-queue.ts';
import type { JobGateway } from './job-gateway.ts';

export const API_METRICS = {
  requests: {
    description: 'Answered requests, calls of tRPC or tools, by operation and HTTP status',
    labels: ['facade', 'operation', 'status'],
  },
  request_seconds: {
    description: 'Time from a request to the start of its answer',
    labels: ['facade', 'operation'],
    advice: { explicitBucketBoundaries: REQUEST_SECONDS },
  },
  accept_seconds: {
    description:
      'Time from the arrival of a request for a job until it was accepted, including the wait in the admission queue',
    labels: [],
    advice: { explicitBucketBoundaries: REQUEST_SECONDS },
  },
  waits: { description: 'Requests that are waiting for the end of a job', labels: [] },
} as const satisfies Readonly<Record<string, Metric>>;

export interface Answered {
  readonly facade: 'rest' | 'rpc' | 'mcp';
  /** The name of an operation, procedure or tool, or the pattern of another path. */
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
}
export type OnAnswered = (answered: Answered) => void;

export function createApiMetrics(metrics: Metrics) {
  const own = metrics.instruments(API_METRICS);
  const requests = own.counter('requests');
  const requestSeconds = own.histogram('request_seconds');
  const acceptSeconds = own.histogram('accept_seconds');
  const waits = own.upDownCounter('waits');
  // Without an initial value, the first wait would not be visible as a change.
  waits({}, 0);
  const onAnswered: OnAnswered = ({ facade, operation, status, seconds }) => {
    requests({ facade, operation, status: String(status) });
    requestSeconds({ facade, operation }, seconds);
  };
  return {
    onAnswered,
    timed: (queue: AdmissionQueue): AdmissionQueue => ({
      async run(work) {
        const startedMs = performance.now();
        const result = await queue.run(work);
        acceptSeconds({}, (performance.now() - startedMs) / 1000);
        return result;
      },
    }),
    counted: (jobs: JobGateway): JobGateway => ({
      ...jobs,
      async waitFor(...wait) {
        waits({}, 1);
        try {
          await jobs.waitFor(...wait);
        } finally {
          waits({}, -1);
        }
      },
    }),
  };
}
