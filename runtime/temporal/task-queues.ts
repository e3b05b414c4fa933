/** The task queues, by resource, so that slow work of one kind does not delay another kind. */
export const taskQueues = {
  /** Workflows, and activities that only use the database. */
  workflows: (prefix: string): string => prefix,
  /** Activities that store collected data, which use no slot of a route. */
  fetch: (prefix: string): string => `${prefix}-fetch`,
  /** Activities that use a route. Workers poll it only while its circuit breaker lets activities run. */
  route: (prefix: string, route: string): string => `${prefix}-route-${route}`,
  /** Activities that use other sites than the platforms. */
  sites: (prefix: string): string => `${prefix}-sites`,
  /** Windows of audio, which need processors and memory. @param engineKey of the engine that transcribes the whole job */
  speech: (prefix: string, engineKey: string): string => `${prefix}-speech-by-${engineKey}`,
  /** The short steps before and after the windows. @param engineKey absent for the first step, which any engine may take */
  speechSteps: (prefix: string, engineKey?: string): string =>
    engineKey === undefined ? `${prefix}-speech-steps` : `${prefix}-speech-steps-by-${engineKey}`,
  webhooks: (prefix: string): string => `${prefix}-webhooks`,
};

/** @returns the ID of the retention schedule, with the queue, because services that share a namespace have separate files */
export function retentionScheduleId(taskQueue: string): string {
  return `retention/${taskQueue}`;
}
