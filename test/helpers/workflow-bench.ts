import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { startTimeSkipping } from './time-skipping.ts';
import { withWorkers, type RunSetting } from './workflow-run.ts';

/**
 * `skipping` skips time while a result is awaited, until a workflow has failed or was terminated; `skipping-anew` is such a
 * server for each test; `real` is the server of the whole run, which alone knows schedules and takes children with search
 * attributes.
 */
export type BenchServer = 'skipping' | 'skipping-anew' | 'real';

export interface WorkflowBench {
  /** To the server, once it is there. */
  readonly connection: () => TestWorkflowEnvironment['connection'];
  /** The server's time, which differs from this machine's once it was skipped. */
  readonly nowMs: () => Promise<number>;
  /** Runs workers with these activities while `body` runs. */
  readonly withService: <Result>(
    setting: Omit<RunSetting, 'env' | 'bundle'>,
    body: (client: TestWorkflowEnvironment['client'], taskQueue: string) => Promise<Result>,
  ) => Promise<Result>;
}

let bundling: Promise<WorkflowBundleWithSourceMap> | undefined;

/** What the tests of a file run workflows on: a Temporal server that is there before them and gone after them. */
export function workflowBench(server: BenchServer = 'skipping'): WorkflowBench {
  let env: TestWorkflowEnvironment;
  let bundle: WorkflowBundleWithSourceMap;
  const [before, after] = server === 'skipping-anew' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    env =
      server === 'real'
        ? await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') })
        : await startTimeSkipping();
    bundle = await (bundling ??= loadWorkflows());
  }, 120_000);
  after(() => env.teardown());
  return {
    connection: () => env.connection,
    nowMs: () => env.currentTimeMs(),
    withService: (setting, body) =>
      withWorkers({ env, bundle, ...setting }, (taskQueue) => body(env.client, taskQueue)),
  };
}
