/**
 * Calls back once when this process should stop: SIGTERM, SIGINT, or the end of the parent that supervises it, however
 * that parent ended.
 */
export function onStop(stop: (reason: string) => void): void {
  let stopped = false;
  const once = (reason: string) => (): void => {
    if (stopped) return;
    stopped = true;
    stop(reason);
  };
  process.on('SIGTERM', once('SIGTERM'));
  process.on('SIGINT', once('SIGINT'));
  if (process.connected) process.on('disconnect', once('the parent is gone'));
}
