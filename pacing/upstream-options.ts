import type { ActivityOptions } from '@temporalio/workflow';
import { taskQueues } from '../runtime/temporal/task-queues.ts';
import { activityIdOf, MAX_WAIT_MS, type RouteNames, type UpstreamUse } from './routes.ts';

export interface UpstreamJob {
  readonly taskQueue: string;
  /** Of the job's caller: the tasks of one that has many do not hold up those of others. */
  readonly fairnessKey: string;
  readonly routes: RouteNames;
}

/** @returns a function that makes the options of an activity that uses an upstream; one that is not paced takes no slot of the route */
export function createUpstreamOptions({ taskQueue, fairnessKey, routes }: UpstreamJob) {
  let uses = 0;
  return (use: UpstreamUse, isPaced: boolean) => {
    uses += 1;
    const isSite = use.startsWith('site/');
    const route = isSite ? use : routes[use as keyof RouteNames];
    const paced = isSite ? taskQueues.sites(taskQueue) : taskQueues.route(taskQueue, route);
    return {
      taskQueue: isPaced ? paced : taskQueues.fetch(taskQueue),
      activityId: activityIdOf(route, uses),
      scheduleToCloseTimeout: MAX_WAIT_MS,
      priority: { fairnessKey },
    } satisfies ActivityOptions;
  };
}
