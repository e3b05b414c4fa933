import { CancellationScope } from '@temporalio/workflow';

/**
 * Does a piece of work for each number from 0, several at once.
 *
 * @throws what the first failed piece threw, after the others were cancelled and have ended
 */
export function forEachConcurrently(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  return CancellationScope.cancellable(async () => {
    const scope = CancellationScope.current();
    let next = 0;
    const failures: unknown[] = [];
    const lane = async (): Promise<void> => {
      while (next < count && failures.length === 0) {
        next += 1;
        try {
          await work(next - 1);
        } catch (error) {
          // What comes after the first is the cancellation of the others.
          failures.push(error);
          scope.cancel();
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
    if (failures.length > 0) throw failures[0];
  });
}
