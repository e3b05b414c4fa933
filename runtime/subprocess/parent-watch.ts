import { processFacts } from './process-facts.ts';

const LOOK_EVERY_MS = 500;

/**
 * Calls back when the npm that runs this program is gone.
 *
 * npm runs a script in a shell, and neither hands a SIGTERM on: whoever ends npm means us, and we would never learn of
 * it. Outside of npm a parent may leave on purpose (`nohup … &`), so nothing is watched there.
 */
export function onNpmGone(isUnderNpm: boolean, gone: () => void): void {
  if (!isUnderNpm) return;
  const before = ancestry();
  const timer = setInterval(() => {
    if (ancestry() === before) return;
    clearInterval(timer);
    gone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** The shell, and where the system tells, its own parent: npm. */
function ancestry(): string {
  return `${process.ppid} ${processFacts(process.ppid)?.parentId ?? ''}`;
}
