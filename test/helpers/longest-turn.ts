import { readFileSync } from 'node:fs';

/**
 * Watches for turns of the event loop in which the main thread works and gives nothing else a turn. Its own time counts, and
 * not that of the wall, which a busy machine stretches; nor that of other threads, which hold nobody up.
 *
 * @returns ends it and answers the longest turn, in milliseconds
 */
export function watchTurns(): () => number {
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
    // The last turn has not been looked at.
    look();
    return longestMs;
  };
}

/** What the main thread has worked, as Linux tells it; elsewhere the whole process. */
function ownMs(): number {
  try {
    const [workedNs] = readFileSync(`/proc/self/task/${String(process.pid)}/schedstat`, 'utf8').split(' ');
    return Number(workedNs) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
