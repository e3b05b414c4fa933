import { TestWorkflowEnvironment } from '@temporalio/testing';
import { inject, afterAll, beforeAll, expect, type Mock } from 'vitest';
import { Context } from '@temporalio/activity';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import {
  addSearchAttributes,
  startWorkers,
  withDerived,
  withWorkers,
  type FakeActivities,
  type RunSetting,
  type StartedWorkers,
} from './workflow-run.ts';
import type { Breakers } from '../../pacing/breakers.ts';
import { registerSearchAttributes } from '../../runtime/temporal/search-attributes.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { GENEROUS } from './breakers.ts';

/** The SDK gives the server 5 seconds to start, a Java program on a machine that may be busy with all other tests. */
const START_MS = 90_000;

/** A Temporal server that skips time while a result is awaited. */
export async function startTimeSkipping(executable = inject('timeSkippingServer')): Promise<TestWorkflowEnvironment> {
  const deadlineMs = performance.now() + START_MS;
  for (;;) {
    try {
      const env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
      await addSearchAttributes(env.connection);
      return env;
    } catch (error) {
      if (performance.now() > deadlineMs || !String(error).includes('did not start within')) throw error;
    }
  }
}

/**
 * `skipping` skips time while a result is awaited, until a workflow has failed or was terminated; `real` is the server of the
 * whole run, which alone knows schedules.
 */
export type BenchServer = 'skipping' | 'real';

export interface WorkflowBench {
  /** To the server, once it is there. */
  readonly connection: () => TestWorkflowEnvironment['connection'];
  /** The server's time, which differs from this machine's once it was skipped. */
  readonly nowMs: () => Promise<number>;
  /**
   * Runs `body` beside workers with these activities. Tests of a file with the same limits have the same workers, since to start
   * and stop them takes longer than most tests, unless the setting asks for more than that.
   */
  readonly withService: <Result>(
    setting: Omit<RunSetting, 'env' | 'bundle'>,
    body: (client: TestWorkflowEnvironment['client'], taskQueue: string, breakers: Breakers) => Promise<Result>,
  ) => Promise<Result>;
}

let bundling: Promise<WorkflowBundleWithSourceMap> | undefined;

/** What the tests of a file run workflows on: a Temporal server that is there before them and gone after them. */
export function workflowBench(server: BenchServer = 'skipping'): WorkflowBench {
  let env: TestWorkflowEnvironment;
  let bundle: WorkflowBundleWithSourceMap;
  /** By their settings. */
  const shared = new Map<string, Promise<StartedWorkers>>();
  let current: FakeActivities = {};
  beforeAll(async () => {
    env =
      server === 'real'
        ? await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') })
        : await startTimeSkipping();
    if (server === 'real') await registerSearchAttributes(env.connection, 'default');
    bundle = await (bundling ??= loadWorkflows());
  }, 120_000);
  afterAll(async () => {
    await Promise.all([...shared.values()].map(async (workers) => (await workers).stop()));
    shared.clear();
    await env.teardown();
  });
  return {
    connection: () => env.connection,
    nowMs: () => env.currentTimeMs(),
    async withService({ activities, limits = GENEROUS, engineKey, ...more }, body) {
      const by = engineKey === undefined ? {} : { engineKey };
      if (Object.keys(more).length > 0) {
        const own = { env, bundle, activities, limits, ...by, ...more };
        return withWorkers(own, (taskQueue, breakers) => body(env.client, taskQueue, breakers));
      }
      current = activities;
      const key = JSON.stringify({ ...limits, ...by });
      const workers =
        shared.get(key) ??
        startWorkers({ env, bundle, activities: whatever(() => withDerived(current)), limits, ...by });
      shared.set(key, workers);
      const { taskQueue, breakers } = await workers;
      return body(env.client, taskQueue, breakers);
    },
  };
}

/** Activities of every name, which do what the test that runs has prepared. */
function whatever(current: () => FakeActivities): FakeActivities {
  const of = (part: keyof FakeActivities, local?: keyof FakeActivities): object => ({
    // The SDK's name for activities that are not known by their own.
    default(...args: readonly unknown[]): unknown {
      const name = Context.current().info.activityType;
      const all = current();
      const prepared = { ...(local && all[local]), ...all[part] } as Readonly<
        Record<string, ((...args: readonly unknown[]) => unknown) | undefined>
      >;
      const activity = prepared[name];
      if (activity === undefined) throw new Error(`this test has not prepared ${name}`);
      return activity(...args);
    },
  });
  return { records: of('records', 'deliver'), fetch: of('fetch'), speech: of('speech'), deliver: of('deliver') };
}

/** Notes the server's time at each attempt. @returns the seconds between them */
export function watchAttempts<Args extends unknown[], Result>(
  activity: Mock<(...args: Args) => Promise<Result>>,
  nowMs: () => Promise<number>,
  work: (...args: Args) => Promise<Result>,
): readonly number[] {
  const waits: number[] = [];
  let lastMs: number | undefined;
  activity.mockImplementation(async (...args) => {
    const ms = await nowMs();
    if (lastMs !== undefined) waits.push((ms - lastMs) / 1000);
    lastMs = ms;
    return work(...args);
  });
  return waits;
}

/** The server's clock goes on while it skips nothing: a wait may seem longer by what the machine took. */
export function expectWaits(waits: readonly number[], seconds: readonly number[]): void {
  expect(waits.map((wait, index) => wait >= seconds[index]! - 0.1 && wait < seconds[index]! + 1.8)).toEqual(
    seconds.map(() => true),
  );
}
