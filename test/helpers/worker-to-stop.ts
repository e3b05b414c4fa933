// A worker in a process of its own, which a test stops: node worker-to-stop.ts ADDRESS TASK_QUEUE.
import { Context } from '@temporalio/activity';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { startWorkers } from './workflow-run.ts';

const [, , address = '', taskQueue = ''] = process.argv;
const env = await TestWorkflowEnvironment.createFromExistingServer({ address });
const forEver = async (): Promise<never> => {
  process.send?.('running');
  const beat = setInterval(() => Context.current().heartbeat(), 1_000);
  return Context.current().cancelled.finally(() => clearInterval(beat));
};
await startWorkers({
  ...{ env, taskQueue, bundle: await loadWorkflows() },
  activities: {
    records: { claimJob: () => Promise.resolve('claimed'), finishJob: () => Promise.resolve() },
    fetch: { fetchAudio: forEver },
    deliver: { attemptDelivery: () => Promise.resolve('delivered') },
  },
});
process.send?.('ready');
