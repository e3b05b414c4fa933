import { onNpmGone } from '../subprocess/parent-watch.ts';

/**
 * Runs a program for people until SIGINT, SIGTERM, SIGHUP or the end of the npm that runs it, then stops it and exits. A second signal ends it at once; what it
 * started ends too, since it notices that we are gone.
 */
export async function runUntilSignal(start: () => Promise<{ stop: () => Promise<void> }>): Promise<void> {
  const signalled = new Promise<string>((resolve) => {
    let count = 0;
    const onSignal = (signal: NodeJS.Signals): void => {
      count += 1;
      if (count > 1) process.exit(1);
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    process.on('SIGHUP', onSignal);
    onNpmGone(process.env['npm_lifecycle_event'] !== undefined, () => resolve('npm is gone'));
  });
  // A signal during the start ends at once: nothing accepted work yet.
  const early = signalled.then(() => 'stop' as const);
  const started = start();
  const running = await Promise.race([started, early]).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
  if (running === 'stop') process.exit(1);
  const signal = await signalled;
  console.error(`${signal}: stopping (again to stop at once)`);
  await running.stop();
  process.exit(0);
}
