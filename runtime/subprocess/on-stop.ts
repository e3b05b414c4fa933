import { onNpmGone } from './parent-watch.ts';

/**
 * Calls back once when this process should stop: SIGTERM, SIGINT, or the end of the parent that supervises it (a
 * supervisor or npm), however that parent ended.
 */
export function onStop(env: Readonly<Record<string, string | undefined>>, stop: (reason: string) => void): void {
  let stopped = false;
  const once = (reason: string) => (): void => {
    if (stopped) return;
    stopped = true;
    stop(reason);
  };
  process.on('SIGTERM', once('SIGTERM'));
  process.on('SIGINT', once('SIGINT'));
  if (process.connected) process.on('disconnect', once('the parent is gone'));
  // A supervised process is stopped by its supervisor, in the right order, also when npm is gone.
  else onNpmGone(env, once('npm is gone'));
}
