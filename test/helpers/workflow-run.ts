import { randomUUID } from 'node:crypto';
import { IllegalStateError } from '@temporalio/common';
import {
  DefaultLogger,
  Runtime,
  type WorkerDeploymentOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { Connection } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { SEARCH_ATTRIBUTES } from '../../runtime/temporal/visibility.ts';
import type { Activities } from '../../activities/create-activities.ts';
import type { SnapshotSteps } from '../../activities/imgnet-snapshots.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { createWorkers } from '../../worker/create-workers.ts';
import { createBreakerActivities } from '../../pacing/breakers.ts';
import type { BreakerStore } from '../../pacing/breaker-store.ts';
import type { Breakers } from '../../pacing/breakers.ts';
import { routeNamesOf, routesOfRoles } from '../../pacing/routes.ts';
import { workerRoles } from '../../runtime/temporal/worker-roles.ts';
import { breakersOn, memoryBreakerStore, GENEROUS, routesWith, type RouteLimits } from './breakers.ts';

/**
 * Lets Temporal tell of errors alone. Many test files have one process, and its runtime ends only when whatever uses it has
 * been closed: what a file before has left open may still have one, which was installed by this function too.
 */
export function quietRuntime(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** For the server that skips time, which cannot list its search attributes. */
export async function addSearchAttributes(connection: Connection): Promise<void> {
  const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 2]));
  await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
}

quietRuntime();

/** The part of `beginJob` that tests fake; the routes are those of the test. */
export type ClaimJob = (input: JobInput) => Promise<'claimed' | 'done'>;

/** What a test does not prepare is not part of it: a workflow that calls it all the same goes no further. */
export interface FakeActivities {
  readonly records?: Partial<Activities['records'] & { readonly claimJob: ClaimJob }>;
  readonly fetch?: Partial<Activities['fetch'] & SnapshotSteps>;
  readonly speech?: Partial<Activities['speech']>;
  readonly deliver?: Partial<Activities['deliver']>;
}

export interface RunSetting {
  readonly env: TestWorkflowEnvironment;
  readonly bundle: WorkflowBundleWithSourceMap;
  readonly activities: FakeActivities;
  readonly limits?: RouteLimits;
  readonly maxFetches?: number;
  /** Of the speech engine. */
  readonly engineKey?: string;
  /** Otherwise one of its own. */
  readonly taskQueue?: string;
  /** What the workers share; otherwise their own, which those of the same queue have that come later. */
  readonly store?: BreakerStore;
  readonly deployment?: WorkerDeploymentOptions;
  /** For what runs when the workers stop; otherwise none. */
  readonly shutdownGraceMs?: number;
}

/** What workers of a task queue share, also with those that come after them. */
const stores = new Map<string, BreakerStore>();

export interface StartedWorkers {
  readonly taskQueue: string;
  /** As the api sees it. */
  readonly breakers: Breakers;
  readonly stop: () => Promise<void>;
}

/** What the service makes up of several steps, made up of those that a test has prepared. */
export function withDerived({ records = {}, fetch = {}, ...others }: FakeActivities): FakeActivities {
  const { claimJob, ...otherRecords } = records;
  const { triggerSnapshot, awaitSnapshot, ...otherFetch } = fetch;
  const routes = routeNamesOf(routesWith(GENEROUS));
  return {
    ...others,
    records: {
      ...(claimJob && {
        beginJob: async (job: JobInput) => ((await claimJob(job)) === 'done' ? ('done' as const) : { routes }),
      }),
      ...otherRecords,
    },
    fetch: {
      ...(triggerSnapshot &&
        awaitSnapshot && {
          collectSnapshot: async (order: Parameters<typeof triggerSnapshot>[0]) =>
            awaitSnapshot(await triggerSnapshot(order)),
        }),
      ...otherFetch,
    },
  };
}

/** Starts workers with fake activities, on task queues of their own. */
export async function startWorkers(setting: RunSetting): Promise<StartedWorkers> {
  const { env, bundle, limits = GENEROUS, engineKey, taskQueue = `test-${randomUUID()}` } = setting;
  const store = setting.store ?? stores.get(taskQueue) ?? memoryBreakerStore();
  stores.set(taskQueue, store);
  const routes = routesWith(limits);
  const breakers = breakersOn(store, routes);
  const own = createBreakerActivities({ breakers });
  // A worker wants at least one.
  const nothing = { nothing: () => Promise.reject(new Error('this test has no such activities')) };
  const { records, fetch = {}, speech = nothing, deliver = nothing } = withDerived(setting.activities);
  const workers = await createWorkers({
    connection: env.nativeConnection,
    namespace: env.namespace ?? 'default',
    breakers,
    routes: routesOfRoles(routes, workerRoles),
    activities: { records: { ...records, ...own }, fetch: { ...nothing, ...fetch }, speech, deliver } as Parameters<
      typeof createWorkers
    >[0]['activities'],
    engineKey,
    deployment: setting.deployment,
    ...{ taskQueue, bundle, maxFetches: setting.maxFetches ?? 100, maxSpeechWindows: 2, maxDeliveries: 10 },
    shutdownGraceMs: setting.shutdownGraceMs ?? 0,
  });
  const running = workers.run();
  return {
    taskQueue,
    // As another process sees them, such as the API.
    breakers: breakersOn(store, routes),
    async stop() {
      workers.shutdown();
      await running;
    },
  };
}

/** Runs workflows against fake activities while `body` runs. */
export async function withWorkers<Result>(
  setting: RunSetting,
  body: (taskQueue: string, breakers: Breakers) => Promise<Result>,
): Promise<Result> {
  const { taskQueue, breakers, stop } = await startWorkers(setting);
  try {
    return await body(taskQueue, breakers);
  } finally {
    await stop();
  }
}
