import type { ActivityProgress } from '../contract/job-input.ts';
import type { SourceCall } from '../sources/source-call-options.ts';
import type { WorkFolders } from '../store/files/work-folders.ts';
import { classifyFailures } from './to-application-failure.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface SourceCallDeps {
  readonly workFolders: WorkFolders;
  readonly fetchTimeoutMs: number;
}

export interface RunningCall extends SourceCall {
  readonly report: (progress: ActivityProgress) => void;
}

/** Calls a driver in an activity, with a private work folder, heartbeats and classified failures. */
export function withSourceCall<Result>(
  deps: SourceCallDeps,
  recordId: string,
  body: (call: RunningCall) => Promise<Result>,
): Promise<Result> {
  return classifyFailures(() =>
    withHeartbeat(async (report, signal) => {
      const folder = await deps.workFolders.open(recordId);
      try {
        return await body({ folder: folder.path, signal, timeoutMs: deps.fetchTimeoutMs, report });
      } finally {
        await folder.remove();
      }
    }),
  );
}
