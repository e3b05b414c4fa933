import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { ulid } from 'ulid';
import type { DeliverActivities, FetchActivities, RecordActivities } from '../../activities/create-activities.ts';
import type { JobInput } from '../../contract/jobs.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import { createWorkers } from '../../worker/create-workers.ts';

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
  const taskQueue = `test-${randomUUID()}`;
  const workers = await createWorkers({
    connection: env.nativeConnection,
    namespace: env.namespace ?? 'default',
    ...{ taskQueue, bundle, activities, maxFetches: 10, maxDeliveries: 10, shutdownGraceMs: 0 },
  });
  const running = workers.run();
  try {
    return await body(taskQueue);
  } finally {
    workers.shutdown();
    await running;
  }
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
