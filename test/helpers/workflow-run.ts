import { routeOf, upstreamUses, limiterIdOf, type RouteLimits, type Routes } from '../../runtime/pacing.ts';
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { ulid } from 'ulid';
import type { Activities } from '../../activities/create-activities.ts';
import { createPermitActivities, type PermitActivities } from '../../activities/permits.ts';
import { JOB_VERSION, type JobInput } from '../../contract/jobs.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import { createWorkers } from '../../worker/create-workers.ts';
import { createLimiters } from '../../worker/limiters.ts';
import { until } from './until.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** What a test does not prepare is not part of it: a workflow that calls it all the same goes no further. */
export interface FakeActivities {
  readonly records?: Partial<Activities['records']>;
  readonly fetch?: Partial<Activities['fetch']>;
  readonly speech?: Partial<Activities['speech']>;
  readonly deliver?: Partial<Activities['deliver']>;
}

export interface RunSetting {
  readonly env: TestWorkflowEnvironment;
  readonly bundle: WorkflowBundleWithSourceMap;
  readonly activities: FakeActivities;
  readonly limits?: RouteLimits;
  /** Otherwise one of its own. */
  readonly taskQueue?: string;
  /** Replaces some of the activities that are the service's own, and so reach the real limiter. */
  readonly change?: (permits: PermitActivities) => PermitActivities;
}

/** Nobody waits for anybody. */
export const GENEROUS: RouteLimits = {
  maxAtOnce: 100,
  startsPerMinute: 10_000,
  firstPauseSeconds: 15,
  maxPauseSeconds: 900,
};

/** Every use of an upstream on a route of its own, all with the same limits. */
export function routesWith(limits: RouteLimits): Routes {
  return {
    'vidnet-page': { route: 'page', ...limits },
    'vidnet-listing': { route: 'listing', ...limits },
    'vidnet-comments': { route: 'comments', ...limits },
    'imgnet-dataset': { route: 'dataset', ...limits },
    'imgnet-media': { route: 'media', ...limits },
    site: limits,
  };
}

export interface StartedWorkers {
  readonly taskQueue: string;
  readonly stop: () => Promise<void>;
}

/** Starts workers with fake activities, on task queues of their own. */
export async function startWorkers(setting: RunSetting): Promise<StartedWorkers> {
  const { env, bundle, limits = GENEROUS, taskQueue = `test-${randomUUID()}` } = setting;
  const limiters = createLimiters(env.client, taskQueue);
  const own = createPermitActivities({ limiters, routes: routesWith(limits) });
  const permits = setting.change?.(own) ?? own;
  // A worker wants at least one.
  const nothing = { nothing: () => Promise.reject(new Error('this test has no such activities')) };
  const { records, fetch = nothing, speech = nothing, deliver = nothing } = setting.activities;
  const workers = await createWorkers({
    connection: env.nativeConnection,
    namespace: env.namespace ?? 'default',
    activities: { records: { ...records, ...permits }, fetch, speech, deliver } as Parameters<
      typeof createWorkers
    >[0]['activities'],
    ...{ taskQueue, bundle, maxFetches: 100, maxSpeechWindows: 2, maxDeliveries: 10, shutdownGraceMs: 0 },
  });
  const running = workers.run();
  return {
    taskQueue,
    async stop() {
      workers.shutdown();
      await running;
    },
  };
}

/** Runs workflows against fake activities while `body` runs. */
export async function withWorkers<Result>(
  setting: RunSetting,
  body: (taskQueue: string) => Promise<Result>,
): Promise<Result> {
  const { env, limits = GENEROUS } = setting;
  const { taskQueue, stop } = await startWorkers(setting);
  try {
    const result = await body(taskQueue);
    if (env.supportsTimeSkipping) {
      const routes = new Set(upstreamUses.map((use) => limiterIdOf(taskQueue, routeOf(routesWith(limits), use).route)));
      for (const limiterId of routes) await quiet(env.client.workflow.getHandle(limiterId));
    }
    return result;
  } finally {
    await stop();
  }
}

export function anAudioJob(overrides: Partial<JobInput> = {}): JobInput {
  const mediaId = randomUUID().replaceAll('-', '').slice(0, 11);
  return {
    version: JOB_VERSION,
    recordId: ulid(),
    type: 'audio',
    subjectId: subjectIdOf('audio', mediaId),
    mediaId,
    createdAt: '2026-11-21T09:30:00.123456Z',
    price: 5,
    ...overrides,
  };
}

/** EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, …_TASK_STARTED and …_EXECUTION_SIGNALED of the Temporal API. */
const UNFINISHED = [5, 6, 26];

/** A task that no worker takes any more would keep the server from skipping time in the next test. */
async function quiet(workflow: WorkflowHandle): Promise<void> {
  await until(async () => {
    const { events } = await workflow.fetchHistory().catch(() => ({ events: [] }));
    return !UNFINISHED.includes(events?.at(-1)?.eventType ?? 0);
  });
}
