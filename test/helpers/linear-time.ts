/** What less input takes cannot be told from noise. */
const SHORT_MS = 5;
const TRIES = 3;

/**
 * How much longer four times as much input takes, about 4 where the time is linear and 16 where it is quadratic.
 *
 * @param work on an input of that size, synchronous
 * @param size large enough that quadratic time takes many milliseconds
 */
export function growthOf(work: (size: number) => unknown, size: number): number {
  const fastestMs = (of: number): number =>
    Math.min(
      ...Array.from({ length: TRIES }, () => {
        const { user, system } = process.cpuUsage();
        work(of);
        const used = process.cpuUsage({ user, system });
        return (used.user + used.system) / 1000;
      }),
    );
  const [one, four] = [fastestMs(size), fastestMs(4 * size)];
  return four < SHORT_MS ? 1 : four / Math.max(one, SHORT_MS / 4);
}
