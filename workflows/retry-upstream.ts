import { sleep } from '@temporalio/workflow';
import { failureOf, faultOf, retryAtMsOf } from './outcome.ts';

/** Waits before an upstream that failed is asked again; together a quarter of an hour. */
const DELAYS_SECONDS = [2, 10, 30, 60, 120, 300, 300] as const;
/** A server that names a later time than this is not waited for. */
const MAX_DELAY_MS = 3_600_000;

/**
 * Work that uses a server of the operator's choice, which is not paced: tries again when the server is at fault, at the time
 * that it names or after a while.
 */
export async function retryUpstream<Result>(
  work: () => Promise<Result>,
  onFailure: (message: string) => void,
): Promise<Result> {
  for (let faults = 0; ; faults += 1) {
    try {
      return await work();
    } catch (error) {
      const seconds = DELAYS_SECONDS[faults];
      if (faultOf(error) !== 'upstream' || seconds === undefined) throw error;
      const { message } = failureOf(error);
      onFailure(message);
      const namedMs = (retryAtMsOf(error) ?? 0) - Date.now();
      await sleep(Math.max(seconds * 1000, Math.min(namedMs, MAX_DELAY_MS)), { summary: `back-off: ${message}` });
    }
  }
}
