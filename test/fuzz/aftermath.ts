import { Client, Connection } from '@temporalio/client';
import { createRecordStore } from '../../store/records/record-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import type { Stack } from '../../local/stack.ts';
import { until } from '../helpers/until.ts';
import { configOf } from './config-of.ts';

/** Workflows that go on by design. */
const LASTING = ['retention'];

/** Waits until every job has ended. @returns how many there were, by how they ended @throws when there were none */
export async function jobsEnded(stack: Pick<Stack, 'env'>, withinMs: number): Promise<Record<string, number>> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configOf(stack);
  const mongo = openMongo({ uri, database, timeoutMs: 30_000 });
  try {
    const records = createRecordStore(mongo.db);
    await until(async () => (await records.list({ status: 'pending', limit: 1 })).length === 0, {
      within: withinMs,
      what: 'the end of all jobs',
    });
    const counts: Record<string, number> = {};
    for (const { status } of await records.list({ limit: 1_000_000 })) counts[status] = (counts[status] ?? 0) + 1;
    if (Object.keys(counts).length === 0) throw new Error(`the database ${database} holds no job`);
    return counts;
  } finally {
    await mongo.close();
  }
}

/** Waits until no workflow is open, webhooks included. */
export async function workflowsClosed(stack: Pick<Stack, 'env' | 'temporalAddress'>, withinMs: number): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const client = new Client({ connection });
    const query = [
      "ExecutionStatus = 'Running'",
      `TaskQueue = '${configOf(stack).TASK_QUEUE}'`,
      ...LASTING.map((type) => `WorkflowType != '${type}'`),
    ].join(' AND ');
    await until(async () => (await client.workflow.count(query)).count === 0, {
      within: withinMs,
      what: 'the end of all workflows',
    });
  } finally {
    await connection.close();
  }
}
