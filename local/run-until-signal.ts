import { onNpmGone } from '../runtime/subprocess/parent-watch.ts';

/** The terminal signals the whole group, and npm hands the same Ctrl-C on once more. */
const ONE_KEY_PRESS_MS = 1_000;

/** As shells count: 128 and the number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Whether somebody watches, who ends the program when they have seen enough. */
export function isWatched(): boolean {
  return process.stdout.isTTY && !process.env['CI'];
}

export interface Signals {
  on(name: keyof typeof EXIT_CODES, listener: () => void): unknown;
  /** Ends the process at once. */
  exit(code: number): unknown;
}

/**
 * Calls back at the first signal that asks to end. One that comes later ends the process at once.
 *
 * @param stop told its name, and the exit code that says so
 */
export function onSignal(
  stop: (name: string, exitCode: number) => void,
  {
    signals = process,
    now = () => performance.now(),
    onePressMs = ONE_KEY_PRESS_MS,
  }: { readonly signals?: Signals; readonly now?: () => number; readonly onePressMs?: number } = {},
): void {
  let firstAtMs: number | undefined;
  for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    const exitCode = EXIT_CODES[name];
    signals.on(name, () => {
      const nowMs = now();
      if (firstAtMs !== undefined && nowMs - firstAtMs > onePressMs) signals.exit(exitCode);
      if (firstAtMs === undefined) stop(name, exitCode);
      firstAtMs ??= nowMs;
    });
  }
}

/**
 * Calls back at SIGINT, SIGTERM, SIGHUP or the end of the npm that runs this program. A second signal ends it at once; what it
 * started ends too, since it notices that we are gone.
 *
 * @param stop told what it was, and the exit code that says so
 */
export function onFirstSignal(stop: (what: string, exitCode: number) => void): void {
  onSignal(stop);
  onNpmGone(process.env, () => stop('npm is gone', EXIT_CODES.SIGTERM));
}

/** Runs a program for people until the first signal, then stops it and exits. */
export async function runUntilSignal(start: () => Promise<{ stop: () => Promise<void> }>): Promise<void> {
  const signalled = new Promise<string>((resolve) => onFirstSignal(resolve));
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
