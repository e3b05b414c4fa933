import { setCurrentDetails, sleep } from '@temporalio/workflow';
import { failureOf, faultOf } from './outcome.ts';

/** Waits before a subject is asked for again; a platform in trouble recovers within minutes or not at all. */
const DELAYS_SECONDS = [2, 10, 30, 60] as const;

/**
 * Repeats work that the upstream refused, with growing waits that operators see as named timers.
 *
 * @param onRefusal told of each refusal before the wait
 * @throws the last refusal when the waits are used up; any other failure at once
 */
export async function withUpstreamBackOff<Result>(
  work: () => Promise<Result>,
  onRefusal: (message: string) => void,
): Promise<Result> {
  for (const [index, seconds] of DELAYS_SECONDS.entries()) {
    try {
      return await work();
    } catch (error) {
      if (faultOf(error) !== 'upstream') throw error;
      const { message } = failureOf(error);
      onRefusal(message);
      const summary = `upstream back-off ${String(index + 1)} of ${String(DELAYS_SECONDS.length)}: ${message}`;
      setCurrentDetails(`Waiting ${String(seconds)} s. ${message}`);
      await sleep(seconds * 1000, { summary });
      setCurrentDetails('');
    }
  }
  return work();
}
