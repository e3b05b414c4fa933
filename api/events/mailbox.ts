import type { JobState } from './job-watches.ts';

/** A reader that is further behind is disconnected and continues after its last event. */
const WAITING_MAX = 5_000;

/**
 * The events that the reader of a stream has not received yet. Only the current state of each job is kept, so a slow reader
 * misses outdated states, and the number of jobs limits the memory.
 */
export function createMailbox(left: AbortSignal, stopping: AbortSignal) {
  const waiting = new Map<string, JobState>();
  let isOver = left.aborted || stopping.aborted;
  let wake = (): void => undefined;
  const end = (): void => {
    isOver = true;
    wake();
  };
  left.addEventListener('abort', end, { once: true });
  stopping.addEventListener('abort', end, { once: true });
  const next = async (): Promise<JobState | undefined> => {
    for (;;) {
      if (isOver) return undefined;
      const [first] = waiting.values();
      if (first !== undefined) {
        waiting.delete(first.record.id);
        return first;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    put(state: JobState): void {
      waiting.set(state.record.id, state);
      if (waiting.size > WAITING_MAX) end();
      else wake();
    },
    next,
    /** Yields events until the reader leaves. If the process stops, it throws, so that the reader reconnects. */
    async *states(): AsyncGenerator<JobState> {
      for (let state = await next(); state !== undefined; state = await next()) yield state;
      stopping.throwIfAborted();
    },
    /** @returns the first end of a job that waits here, in milliseconds since 1970; Infinity without one */
    firstEndMs(): number {
      let firstMs = Infinity;
      for (const { record } of waiting.values()) {
        if (record.status !== 'pending') firstMs = Math.min(firstMs, Date.parse(record.finishedAt));
      }
      return firstMs;
    },
    close(): void {
      // The signal lives as long as the process, so its listeners must not accumulate.
      stopping.removeEventListener('abort', end);
      waiting.clear();
      end();
    },
  };
}
