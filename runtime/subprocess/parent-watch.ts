import { processFacts } from './process-facts.ts';

const LOOK_EVERY_MS = 500;

/**
 * Calls back when the npm that runs this program is gone.
 *
 * npm runs a script in a shell, and neither hands a SIGTERM on: whoever ends npm means us, and we would never learn of
 * it. Outside of npm a parent may leave on purpose (`nohup … &`), so nothing is watched there.
 */
export function onNpmGone(env: Readonly<Record<string, string | undefined>>, gone: () => void): void {
  if (env['npm_lifecycle_event'] === undefined) return;
  // The shell and npm; before them local/bootstrap.mjs, where it had to run us by another Node than its own.
  const generations = env['TAPEDECK_LAUNCHER_PID'] === String(process.ppid) ? 3 : 2;
  const before = ancestry(generations);
  const timer = setInterval(() => {
    if (ancestry(generations) === before) return;
    clearInterval(timer);
    gone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** Ids of the parent, its own parent and so on, as far as the system tells. */
function ancestry(generations: number): string {
  const ids = [String(process.ppid)];
  while (ids.length < generations) ids.push(processFacts(ids.at(-1) ?? '')?.parentId ?? '');
  return ids.join(' ');
}
