/** The task queues behind one prefix: split by resource, so that slow work of one kind holds up no other. */
export const taskQueues = {
  /** Workflows, and activities that only touch the database. */
  workflows: (prefix: string): string => prefix,
  /** What takes no slot of a route: the keeping of what was collected. */
  fetch: (prefix: string): string => `${prefix}-fetch`,
  /** Uses of one route: workers poll it only while its circuit breaker lets tasks through. */
  route: (prefix: string, route: string): string => `${prefix}-route-${route}`,
  /** Pages of all sites that are none of the platforms. */
  sites: (prefix: string): string => `${prefix}-sites`,
  /**
   * Transcription: it needs processors and memory, not the network.
   *
   * @param engineKey of the engine that must do it; absent in jobs of older releases
   */
  speech: (prefix: string, engineKey?: string): string =>
    engineKey === undefined ? `${prefix}-speech` : `${prefix}-speech-by-${engineKey}`,
  /** What comes before and after it, which is short: it must not wait for another job's windows. */
  speechSteps: (prefix: string, engineKey?: string): string =>
    engineKey === undefined ? `${prefix}-speech-steps` : `${prefix}-speech-steps-by-${engineKey}`,
  webhooks: (prefix: string): string => `${prefix}-webhooks`,
};

/** ID of the schedule that removes old files. The queue is part of it: services that share a namespace have files of their own. */
export function retentionScheduleId(taskQueue: string): string {
  return `retention/${taskQueue}`;
}
