import { status } from '@grpc/grpc-js';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { UsageError } from '../../runtime/operator-command.ts';

export const USAGE = `usage: npm run versions
       npm run versions -- use BUILD_ID
       npm run versions -- use none
       npm run versions -- move BUILD_ID

Releases of workers that have WORKER_DEPLOYMENT. Without a command: which there are. use: new jobs begin with the workers of this
one; none: with those that have no WORKER_DEPLOYMENT. move: open jobs of this one go on with the workers in use.`;

const WHO = 'npm run versions';
const isGone = (error: unknown): boolean => isGrpcServiceError(error) && error.code === status.NOT_FOUND;
/** States of the Temporal API in which workers of a release are still needed, by their numbers. */
const STATES: Readonly<Record<number, string>> = { 1: 'has open jobs', 2: 'has no open jobs: its workers may go' };

/** Creates the commands of a rolling upgrade. @param deploymentName WORKER_DEPLOYMENT of the workers */
export function createVersionCommands(client: Client, deploymentName: string) {
  const { workflowService: service } = client;
  const { namespace } = client.options;

  const describe = async () => {
    try {
      const { workerDeploymentInfo } = await service.describeWorkerDeployment({ namespace, deploymentName });
      return workerDeploymentInfo;
    } catch (error) {
      if (!isGone(error)) throw error;
      throw new UsageError(`No worker has been started with WORKER_DEPLOYMENT=${deploymentName}.`);
    }
  };

  const list = async (): Promise<string> => {
    const info = await describe();
    const inUse = info?.routingConfig?.currentDeploymentVersion?.buildId;
    const lines = (info?.versionSummaries ?? []).map(({ deploymentVersion, drainageStatus }) => {
      const buildId = deploymentVersion?.buildId ?? '';
      const state = buildId === inUse ? 'in use' : (STATES[Number(drainageStatus)] ?? 'not used yet');
      return `${buildId}  ${state}`;
    });
    return [
      ...lines,
      ...(inUse === undefined ? ['none is in use: new jobs wait for workers without WORKER_DEPLOYMENT'] : []),
    ].join('\n');
  };

  const use = async (wanted: string): Promise<string> => {
    const buildId = wanted === 'none' ? '' : wanted;
    await describe();
    // Temporal refuses a release whose workers do not poll all queues of the current one.
    await service.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId, identity: WHO });
    return buildId === ''
      ? 'New jobs begin with workers that have no WORKER_DEPLOYMENT.'
      : `New jobs begin with the workers of ${buildId}.`;
  };

  /** @param moved the set to which the moved runs are added */
  const moveAll = async (buildId: string, moved: Set<string>): Promise<void> => {
    const query = [
      "ExecutionStatus = 'Running'",
      "TemporalWorkflowVersioningBehavior = 'Pinned'",
      `TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}'`,
    ].join(' AND ');
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      try {
        await service.updateWorkflowExecutionOptions({
          namespace,
          workflowExecution: { workflowId, runId },
          workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
          updateMask: { paths: ['versioning_override'] },
        });
        moved.add(runId);
      } catch (error) {
        // The workflow has ended meanwhile.
        if (!isGone(error)) throw error;
      }
    }
  };

  const move = async (buildId: string): Promise<string> => {
    const info = await describe();
    if (info?.routingConfig?.currentDeploymentVersion?.buildId === buildId) {
      throw new UsageError(`${buildId} is in use: its jobs stay where they are.`);
    }
    const moved = new Set<string>();
    // The second pass moves workflows that began while the pages were read.
    for (let before = -1; moved.size > before;) {
      before = moved.size;
      await moveAll(buildId, moved);
    }
    return `${String(moved.size)} jobs of ${buildId} go on with the workers in use.`;
  };

  return {
    /** @returns what to print. @throws UsageError */
    async run([command = 'list', buildId, ...more]: readonly string[]): Promise<string> {
      if (more.length > 0) throw new UsageError('There are too many arguments.');
      if (command === 'list' && buildId === undefined) return list();
      if (command === 'use' && buildId !== undefined) return use(buildId);
      if (command === 'move' && buildId !== undefined) return move(buildId);
      throw new UsageError(`There is no command ${JSON.stringify([command, buildId].join(' ').trim())}.`);
    },
  };
}
