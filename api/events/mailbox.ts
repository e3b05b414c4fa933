import type { JobState } from './job-watches.ts';

/** A reader that is further behind is disconnected and continues after its last event. */
const WAITING_MAX = 5_000;

/**
 * The events that the reader of a stream has not received yet. Only the current state of each job is kept, so a slow reader
 * misses outdated states, and the number of jobs limits the memory.
 *
 * @param left aborted when the reader has left
 * @param stopping aborted when the process is about to stop
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
  return {
    put(state: JobState): void {
      waiting.set(state.record.id, state);
      if (waiting.size > WAITING_MAX) end();
      else wake();
    },
    /** @returns the next event; undefined when the stream has ended */
    async next(): Promise<JobState | undefined> {
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
    },
    /** The first end of a job that the reader has not received, in milliseconds since 1970; Infinity without one. */
    firstEndMs(): number {
      let firstMs = Infinity;
      for (const { record } of waiting.values()) {
        if (record.status !== 'pending') firstMs = Math.min(firstMs, Date.parse(record.finishedAt));
      }
      return firstMs;
    },
    close(): void {
      // The signal lives as long as the process.
      stopping.removeEventListener('abort', end);
      waiting.clear();
      end();
    },
  };
}
