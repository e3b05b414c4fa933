import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { ulid } from 'ulid';
import type { DeliverActivities, FetchActivities, RecordActivities } from '../../activities/create-activities.ts';
import type { JobInput } from '../../contract/jobs.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import { taskQueues } from '../../contract/task-queues.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

export interface FakeActivities {
  readonly records: RecordActivities;
  readonly fetch: FetchActivities;
  readonly deliver: DeliverActivities;
}

/** Runs workflows against fake activities, on task queues of their own, while `body` runs. */
export async function withWorkers<Result>(
  setting: { env: TestWorkflowEnvironment; bundle: WorkflowBundleWithSourceMap; activities: FakeActivities },
  body: (taskQueue: string) => Promise<Result>,
): Promise<Result> {
  const { env, bundle, activities } = setting;
  const prefix = `test-${randomUUID()}`;
  const shared = {
    connection: env.nativeConnection,
    ...(env.namespace === undefined ? {} : { namespace: env.namespace }),
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
  } as const;
  const workers = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: taskQueues.workflows(prefix),
      workflowBundle: bundle,
      activities: activities.records,
    }),
    Worker.create({ ...shared, taskQueue: taskQueues.fetch(prefix), activities: activities.fetch }),
    Worker.create({ ...shared, taskQueue: taskQueues.webhooks(prefix), activities: activities.deliver }),
  ]);
  const [first, ...rest] = workers;
  const nested = rest.reduce<() => Promise<Result>>(
    (inner, worker) => () => worker.runUntil(inner),
    () => body(prefix),
  );
  return first.runUntil(nested);
}

export function anAudioJob(overrides: Partial<JobInput> = {}): JobInput {
  const mediaId = randomUUID().replaceAll('-', '').slice(0, 11);
  return {
    recordId: ulid(),
    type: 'audio',
    subjectId: subjectIdOf('audio', mediaId),
    mediaId,
    createdAt: '2026-11-21T09:30:00.123456Z',
    price: 5,
    ...overrides,
  };
}
