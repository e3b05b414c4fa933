import { readFileSync } from 'node:fs';

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
  const shell = process.ppid;
  try {
    const stat = readFileSync(`/proc/${String(shell)}/stat`, 'utf8');
    // Field 4, counted after the name, which may hold spaces.
    return `${String(shell)} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? ''}`;
  } catch {
    return String(shell);
  }
}
