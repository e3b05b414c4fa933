import type { ActivityOptions } from '@temporalio/workflow';

/** Where an activity runs that fetches: without options, on the queue of what needs no permit. */
export interface Place {
  readonly options?: Pick<ActivityOptions, 'taskQueue' | 'activityId' | 'scheduleToStartTimeout' | 'priority'>;
}

/** For what is done beside the uses of a platform, and for jobs of version 4da8403. */
export const BESIDE: Place = {};
