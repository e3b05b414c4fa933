/** A signal that is aborted with a caller's, when a time is over, or by whoever holds it. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly abort: (reason?: unknown) => void;
  /** The whole time begins anew. */
  readonly restart: () => void;
  /** Lets go of the clock and of the caller's signal; belongs into a `finally`. */
  readonly end: () => void;
}

export interface DeadlineOptions {
  /** The caller's. Not joined by AbortSignal.any, which would keep a listener on a long-lived signal for every use. */
  readonly signal?: AbortSignal | undefined;
  /** Without it, there is no limit. */
  readonly timeoutMs?: number | undefined;
  /** Makes the reason of a signal whose time is over. */
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
