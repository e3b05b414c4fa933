interface RepeatOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
  /** Whether the first run starts at once, in the background. */
  readonly startsNow?: boolean;
}

/** Repeats a sweep regularly, one run at a time. The timer does not keep the process alive. */
export function repeatSweep(
  sweep: () => Promise<void>,
  { everyMs, onError, startsNow = false }: RepeatOptions,
): { readonly stop: () => void } {
  let isRunning = false;
  const run = (): void => {
    if (isRunning) return;
    isRunning = true;
    void sweep()
      .catch(onError)
      .finally(() => (isRunning = false));
  };
  if (startsNow) run();
  const timer = setInterval(run, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
