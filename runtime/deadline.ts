/** A signal that is aborted by the caller's signal, by a timeout, or by `abort`. */
export type Deadline = ReturnType<typeof startDeadline>;

interface DeadlineOptions {
  /** The caller's signal. AbortSignal.any would keep a listener on a long-lived signal for each use. */
  readonly signal?: AbortSignal | undefined;
  /** Default: no timeout. */
  readonly timeoutMs?: number | undefined;
  /** Creates the abort reason of the timeout. */
  readonly late?: () => Error;
}

export function startDeadline({ signal, timeoutMs, late = timeoutError }: DeadlineOptions) {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop.abort(late()), Math.max(0, timeoutMs));
  return {
    signal: stop.signal,
    abort: (reason?: unknown): void => stop.abort(reason),
    /** Restarts the timeout. */
    restart: (): void => void timer?.refresh(),
    /** Releases the timer and the caller's signal. Call it in a `finally` block. */
    end: (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function timeoutError(): Error {
  return new DOMException('the time is over', 'TimeoutError');
}
