export type LocalJobs = ReturnType<typeof createLocalJobs>;

/** The jobs that begin or end in this process, for the batches that it advances. */
export function createLocalJobs(now: () => number = () => performance.now()) {
  const listeners = new Set<Set<string>>();
  const begunMs = new Map<string, number>();
  return {
    /** Called when the job of a single request begins. */
    begin(recordId: string): void {
      begunMs.set(recordId, now());
    },
    end(recordId: string): void {
      begunMs.delete(recordId);
      for (const ids of listeners) ids.add(recordId);
    },
    /** @returns whether the job of a single request has begun within the given time and has not ended */
    hasBegunWithin(ms: number): boolean {
      // A job may end in another process.
      for (const [recordId, atMs] of begunMs) if (atMs <= now() - ms) begunMs.delete(recordId);
      return begunMs.size > 0;
    },
    /** @returns a set that receives the IDs of the records of jobs that end, until it is left */
    listen(): Set<string> {
      const ids = new Set<string>();
      listeners.add(ids);
      return ids;
    },
    leave: (ids: Set<string>) => listeners.delete(ids),
  };
}
