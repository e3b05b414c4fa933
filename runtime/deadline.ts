/** A signal that is aborted by the caller's signal, by a timeout, or by `abort`. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly abort: (reason?: unknown) => void;
  /** Restarts the timeout. */
  readonly restart: () => void;
  /** Releases the timer and the caller's signal. Call it in a `finally` block. */
  readonly end: () => void;
}

export interface DeadlineOptions {
  /** The caller's signal. AbortSignal.any would keep a listener on a long-lived signal for each use. */
  readonly signal?: AbortSignal | undefined;
  /** Default: no timeout. */
  readonly timeoutMs?: number | undefined;
  /** Creates the abort reason of the timeout. */
  readonly late?: () => Error;
}

export function startDeadline({ signal, timeoutMs, late = timeoutError }: DeadlineOptions): Deadline {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop.abort(late()), Math.max(0, timeoutMs));
  return {
    signal: stop.signal,
    abort: (reason) => stop.abort(reason),
    restart: () => void timer?.refresh(),
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function timeoutError(): Error {
  return new DOMException('the time is over', 'TimeoutError');
}
