import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type { Config } from '../config.ts';
import { workflowsId } from './workflow-bundle.ts';

/**
 * @returns the deployment version of a worker, to which its jobs are pinned; undefined without WORKER_DEPLOYMENT
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
