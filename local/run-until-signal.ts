import { onNpmGone } from '../runtime/subprocess/parent-watch.ts';

/** The terminal signals the whole group, and npm hands the same Ctrl-C on once more. */
const ONE_KEY_PRESS_MS = 1_000;

/**
 * Runs a program for people until SIGINT, SIGTERM, SIGHUP or the end of the npm that runs it, then stops it and exits. A second signal ends it at once; what it
 * started ends too, since it notices that we are gone.
 */
export async function runUntilSignal(start: () => Promise<{ stop: () => Promise<void> }>): Promise<void> {
  const signalled = new Promise<string>((resolve) => {
    let firstAtMs: number | undefined;
    const onSignal = (signal: NodeJS.Signals): void => {
      const nowMs = performance.now();
      if (firstAtMs !== undefined && nowMs - firstAtMs > ONE_KEY_PRESS_MS) process.exit(1);
      firstAtMs ??= nowMs;
      resolve(signal);
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
    onNpmGone(process.env, () => resolve('npm is gone'));
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
