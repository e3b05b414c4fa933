import { startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import { operation, service, serviceHandler } from 'nexus-rpc';
import { ulid } from 'ulid';
import type { NexusRequest } from '../activities/nexus-request-activities.ts';
import type { DownloadResult } from '../contract/kinds/kinds.ts';
import type { nexusRequest } from '../workflows/nexus-request.ts';

const tapedeck = service('tapedeck', { job: operation<NexusRequest['request'], DownloadResult>() });

/** The Nexus service for workflows of other namespaces, which are as trusted as callers over tRPC. */
export const nexusService = serviceHandler(tapedeck, {
  job: new WorkflowRunOperationHandler<NexusRequest['request'], DownloadResult>((context, request) =>
    startWorkflow<typeof nexusRequest>(context, 'nexusRequest', {
      // A repeated start has the same request ID, and so begins nothing new.
      workflowId: `nexus/${context.requestId}`,
      args: [{ recordId: ulid(), request }],
    }),
  ),
});
