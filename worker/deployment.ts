import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type { Config } from '../config.ts';
import { workflowsId } from './workflow-bundle.ts';

/**
 * What a worker tells Temporal of its release, where that was asked for: a job is pinned to the workers of one. See decision 52.
 *
 * @returns undefined where any worker takes any job
 */
export async function deploymentOf({
  WORKER_DEPLOYMENT: deploymentName,
  WORKER_BUILD_ID: buildId,
}: Pick<Config, 'WORKER_DEPLOYMENT' | 'WORKER_BUILD_ID'>): Promise<WorkerDeploymentOptions | undefined> {
  if (deploymentName === undefined) return undefined;
  return {
    useWorkerVersioning: true,
    version: { deploymentName, buildId: buildId ?? (await workflowsId()) },
    defaultVersioningBehavior: 'PINNED',
  };
}
