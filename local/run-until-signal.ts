import { onNpmGone } from '../runtime/subprocess/on-stop.ts';

/** npm also forwards a Ctrl-C that the terminal has sent to the whole process group. */
const ONE_KEY_PRESS_MS = 1_000;

/** The exit codes of shells: 128 plus the number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function isWatched(): boolean {
  return process.stdout.isTTY && !process.env['CI'];
}

export interface Signals {
  on(name: keyof typeof EXIT_CODES, listener: () => void): unknown;
  exit(code: number): unknown;
}

/** Calls `stop` at the first signal that ends the process. A later one exits at once. */
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

/** Calls `stop` at SIGINT, SIGTERM, SIGHUP or the end of the npm that runs this program. A second signal exits at once. */
export function onFirstSignal(stop: (what: string, exitCode: number) => void): void {
  onSignal(stop);
  onNpmGone(process.env, () => stop('npm is gone', EXIT_CODES.SIGTERM));
}

export async function runUntilSignal(start: () => Promise<{ stop: () => Promise<void> }>): Promise<void> {
  const signalled = new Promise<string>((resolve) => onFirstSignal(resolve));
  // During the start, no part has accepted work yet.
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
