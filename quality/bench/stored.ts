import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { BSON, type Db } from 'mongodb';
import { actionsOf } from './temporal-counts.ts';

/** Documents of a collection that are looked at for their size. */
const SAMPLE = 200;
/** Histories that are read for their actions; other figures need none. */
const HISTORIES = 200;

/** What a collection holds. */
export interface Collection {
  readonly documents: number;
  /** As BSON, without indexes and compression, from a sample. */
  readonly bytesEach: number;
}

export async function collectionsOf(db: Db): Promise<Readonly<Record<string, Collection>>> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name);
  const all = names.map(async (name): Promise<[string, Collection]> => {
    const sample = await db.collection(name).find().limit(SAMPLE).toArray();
    const bytes = sample.reduce((sum, one) => sum + BSON.calculateObjectSize(one), 0);
    return [
      name,
      { documents: await db.collection(name).countDocuments(), bytesEach: bytes / Math.max(1, sample.length) },
    ];
  });
  return Object.fromEntries(await Promise.all(all));
}

/** Bytes that a job leaves in the database. */
export function recordBytesOf({
  collections,
  jobs,
}: {
  readonly collections: Readonly<Record<string, Collection>>;
  readonly jobs: number;
}): number {
  return Object.values(collections).reduce((sum, { documents, bytesEach }) => sum + documents * bytesEach, 0) / jobs;
}

/** What Temporal keeps of all workflows. */
export interface Histories {
  readonly workflows: number;
  readonly events: number;
  readonly bytes: number;
  /** Of those that were read, without heartbeats. */
  readonly actionsEach: number;
}

export async function historiesOf(client: Client): Promise<Histories> {
  let [workflows, events, bytes, read, actions] = [0, 0, 0, 0, 0];
  for await (const { workflowId, runId, historyLength, historySize } of client.workflow.list()) {
    workflows += 1;
    events += historyLength;
    bytes += historySize ?? 0;
    if (read === HISTORIES) continue;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    read += 1;
    actions += actionsOf(history.events ?? []);
  }
  return { workflows, events, bytes, actionsEach: actions / Math.max(1, read) };
}

/** Bytes of all files below a folder. A file may go while it is looked for. */
export async function bytesBelow(folder: string): Promise<number> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const sizes = files.map((one) =>
    stat(join(one.parentPath, one.name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
}
