import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { BSON, type Db } from 'mongodb';
import { request } from 'undici';

/** Documents of a collection that are looked at for their size. */
const SAMPLE = 200;
/** Histories that are read for their actions; other figures need none. */
const HISTORIES = 200;

export interface Collection {
  readonly documents: number;
  /** The size as BSON, without indexes and compression, from a sample. */
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

export function recordBytesOf({
  collections,
  jobs,
}: {
  readonly collections: Readonly<Record<string, Collection>>;
  readonly jobs: number;
}): number {
  return Object.values(collections).reduce((sum, { documents, bytesEach }) => sum + documents * bytesEach, 0) / jobs;
}

export interface Histories {
  readonly workflows: number;
  readonly events: number;
  readonly bytes: number;
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

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

export interface TemporalCounts {
  readonly events: number;
  /** Actions that Temporal Cloud bills (docs.temporal.io/cloud/actions), without heartbeats, which histories do not contain. */
  readonly actions: number;
}

export async function countHistories(client: Client): Promise<TemporalCounts> {
  let [events, actions] = [0, 0];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    events += history.events?.length ?? 0;
    actions += actionsOf(history.events ?? []);
  }
  return { events, actions };
}

export function metricsUrlOf(temporalPid: number): string {
  const args = readFileSync(`/proc/${String(temporalPid)}/cmdline`, 'utf8').split('\0');
  return `http://127.0.0.1:${args[args.indexOf('--metrics-port') + 1] ?? ''}/metrics`;
}

/** A signal is counted where it arrives. All local activities of one workflow task are one action. */
export function actionsOf(events: readonly HistoryEvent[]): number {
  const tasksWithLocal = new Set<string>();
  let actions = 0;
  for (const event of events) {
    if (event.workflowExecutionStartedEventAttributes) actions += 1;
    if (event.workflowExecutionSignaledEventAttributes) actions += 1;
    if (event.workflowExecutionUpdateAcceptedEventAttributes) actions += 1;
    if (event.timerStartedEventAttributes) actions += 1;
    actions += event.activityTaskStartedEventAttributes?.attempt ?? 0;
    const changed = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields ?? {};
    if (Object.keys(changed).some((name) => name !== 'TemporalChangeVersion')) actions += 1;
    const marker = event.markerRecordedEventAttributes;
    if (marker?.markerName === 'core_local_activity') tasksWithLocal.add(String(marker.workflowTaskCompletedEventId));
  }
  return actions + tasksWithLocal.size;
}

/** Heartbeats that a server of ours has taken so far, which are an action each. */
export async function countHeartbeats(metricsUrl: string): Promise<number> {
  // fetch does not connect to the port of an embedded one.
  const text = await (await request(metricsUrl)).body.text();
  const lines = text
    .split('\n')
    .filter((line) => /^service_requests\{.*operation="RecordActivityTaskHeartbeat"/.test(line));
  const ofFrontend = lines.filter((line) => line.includes('service_name="frontend"'));
  return ofFrontend.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
