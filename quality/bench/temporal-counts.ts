import { readFileSync } from 'node:fs';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { request } from 'undici';

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** What all workflows together have cost so far. */
export interface TemporalCounts {
  readonly events: number;
  /** As Temporal Cloud bills them (docs.temporal.io/cloud/actions), heartbeats left out: histories do not hold them. */
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

/** Of an embedded server, from its command line. */
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
