import { readFileSync } from 'node:fs';

/**
 * A task of this length does not delay others noticeably. The limit also holds on a machine that is several times slower than
 * usual; work that is not divided takes many times as long.
 */
export const LONGEST_TASK_MS = 250;

/**
 * Watches for tasks in which the main thread works and lets no other task run. Its own processor time counts, and not
 * elapsed time, which a busy machine stretches; nor that of other threads, which delay nobody.
 *
 * @returns a function that ends it and returns the longest task, in milliseconds
 */
export function watchEventLoop(): () => number {
  let longestMs = 0;
  let [wall, own] = [performance.now(), ownMs()];
  const look = (): void => {
    const now = ownMs();
    longestMs = Math.max(longestMs, Math.min(performance.now() - wall, now - own));
    [wall, own] = [performance.now(), now];
  };
  const timer = setInterval(look, 2);
  return () => {
    clearInterval(timer);
    // The last task has not been measured yet.
    look();
    return longestMs;
  };
}

/** The processor time of the main thread, as Linux reports it; elsewhere that of the whole process. */
function ownMs(): number {
  try {
    const [workedNs] = readFileSync(`/proc/self/task/${String(process.pid)}/schedstat`, 'utf8').split(' ');
    return Number(workedNs) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
