import type { Client } from '@temporalio/client';
import type { Collection } from 'mongodb';

/** A job as its caller saw it; milliseconds since 1970, by the clock that the engines go by too. */
export interface SeenJob {
  readonly id: string;
  readonly askedMs: number;
  readonly answeredMs: number;
}

export interface EndedRecord {
  readonly _id: string;
  readonly subjectId: string;
  readonly finishedAt: string;
}

/** Where the time of a job goes, in this order, in milliseconds. */
export const STEPS = {
  accept: 'request to start of the workflow',
  begin: 'start to the scheduling of the fetch',
  queue: 'scheduling to its start',
  fetch: 'the fetch activity',
  end: 'its end to the end of the record',
  close: 'end of the record to that of the workflow',
  answer: 'end of the workflow to the answer',
} as const;
export type JobSteps = Readonly<Record<keyof typeof STEPS, number>>;

/** Reads the steps of a job that has ended and has one activity. @throws when its history lacks one */
export async function stepsOf(client: Client, records: Collection<EndedRecord>, job: SeenJob): Promise<JobSteps> {
  const record = await records.findOne({ _id: job.id });
  if (record === null) throw new Error(`there is no record ${job.id}`);
  const history = await client.workflow.getHandle(record.subjectId).fetchHistory();
  const events = history.events ?? [];
  type HistoryEvent = (typeof events)[number];
  const at = (what: string, isIt: (event: HistoryEvent) => unknown): number => {
    const time = events.find(isIt)?.eventTime;
    if (!time) throw new Error(`the history of ${record.subjectId} lacks: ${what}`);
    return Number(time.seconds) * 1_000 + (time.nanos ?? 0) / 1e6;
  };
  const moments = [
    job.askedMs,
    at('its start', (event) => event.workflowExecutionStartedEventAttributes),
    at('an activity', (event) => event.activityTaskScheduledEventAttributes),
    at('the start of the activity', (event) => event.activityTaskStartedEventAttributes),
    at('the end of the activity', (event) => event.activityTaskCompletedEventAttributes),
    Date.parse(record.finishedAt),
    at('its end', (event) => event.workflowExecutionCompletedEventAttributes),
    job.answeredMs,
  ];
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
  const took = names.map((name, index) => [name, (moments[index + 1] ?? NaN) - (moments[index] ?? NaN)] as const);
  return Object.fromEntries(took) as Record<keyof typeof STEPS, number>;
}
