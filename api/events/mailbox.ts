import type { JobState } from './job-watches.ts';

/** A reader who is that far behind comes again: the id of the last event that it took tells where to go on. */
const WAITING_MAX = 5_000;

export type Mailbox = ReturnType<typeof createMailbox>;

/**
 * What the reader of a stream has not been told yet: of each job only how it stands now, however often that has changed. So a
 * slow reader misses what is out of date, and holds no more than there are jobs.
 *
 * @param left aborted when the reader has left
 * @param stopping aborted when the process is about to stop
 */
export function createMailbox(left: AbortSignal, stopping: AbortSignal) {
  const waiting = new Map<string, JobState>();
  let isOver = false;
  let wake = (): void => undefined;
  const end = (): void => {
    isOver = true;
    wake();
  };
  if (left.aborted || stopping.aborted) isOver = true;
  left.addEventListener('abort', end, { once: true });
  stopping.addEventListener('abort', end, { once: true });
  return {
    put(state: JobState): void {
      waiting.set(state.record.id, state);
      if (waiting.size > WAITING_MAX) end();
      else wake();
    },
    /** @returns what comes next; undefined when the stream is over */
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
    /** When the first of the jobs ended whose end is not told yet, in milliseconds since 1970; Infinity without one. */
    firstEndMs(): number {
      let firstMs = Infinity;
      for (const { record } of waiting.values()) {
        if (record.status !== 'pending') firstMs = Math.min(firstMs, Date.parse(record.finishedAt));
      }
      return firstMs;
    },
    close(): void {
      // That one lives as long as the process.
      stopping.removeEventListener('abort', end);
      waiting.clear();
      end();
    },
  };
}
