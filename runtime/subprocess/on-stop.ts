import { readFileSync } from 'node:fs';
import { processFacts } from './process-facts.ts';

const CHECK_INTERVAL_MS = 500;
type Environment = Readonly<Record<string, string | undefined>>;

/** Calls back once when this process should stop: on SIGTERM or SIGINT, or when its supervisor or npm has ended. */
export function onStop(env: Environment, stop: (reason: string) => void): void {
  let isStopped = false;
  const once = (reason: string) => (): void => {
    if (isStopped) return;
    isStopped = true;
    stop(reason);
  };
  process.on('SIGTERM', once('SIGTERM'));
  process.on('SIGINT', once('SIGINT'));
  if (process.connected) process.on('disconnect', once('the parent is gone'));
  // A supervisor stops its processes itself and in the right order, also when npm is gone.
  else onNpmGone(env, once('npm is gone'));
}

/**
 * Calls back when the npm that runs this program has ended, because npm and its shell do not forward SIGTERM. Outside of npm
 * nothing is watched, because a parent may leave on purpose (`nohup … &`).
 */
export function onNpmGone(env: Environment, onGone: () => void): void {
  if (env['npm_lifecycle_event'] === undefined) return;
  // The ancestors are the shell, which some systems replace by its last command, and npm. Below them, local/bootstrap.mjs may have
  // started another Node.
  const launchers = env['TAPEDECK_LAUNCHER_PID'] === String(process.ppid) ? 1 : 0;
  const generations = launchers + (isNpm(process.ppid) ? 1 : 2);
  const before = ancestry(generations);
  const timer = setInterval(() => {
    if (ancestry(generations) === before) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

function isNpm(pid: number): boolean {
  try {
    return /^npm\b|npm-cli\.js/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
}

/** @returns the process IDs of the parent, the grandparent and so on */
function ancestry(generations: number): string {
  const ids = [String(process.ppid)];
  while (ids.length < generations) ids.push(processFacts(ids.at(-1) ?? '')?.parentId ?? '');
  return ids.join(' ');
}
