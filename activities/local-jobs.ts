/** How long single requests are given way, whose jobs are mostly short. */
const YIELDS_MS = 1_000;

export type LocalJobs = ReturnType<typeof createLocalJobs>;

/** The jobs that begin or end in this process, for the batches that it advances. */
export function createLocalJobs(now: () => number = () => performance.now()) {
  const listeners = new Set<Set<string>>();
  const begunMs = new Map<string, number>();
  let busySinceMs = 0;
  // A job may be long, or end in another process.
  const forgetOld = (): void => {
    for (const [recordId, atMs] of begunMs) if (atMs <= now() - YIELDS_MS) begunMs.delete(recordId);
  };
  return {
    /** Called when the job of a single request begins. */
    begin(recordId: string): void {
      forgetOld();
      if (begunMs.size === 0) busySinceMs = now();
      begunMs.set(recordId, now());
    },
    end(recordId: string): void {
      begunMs.delete(recordId);
      for (const ids of listeners) ids.add(recordId);
    },
    /** @returns whether a batch yields to jobs of single requests: for a limited time, however many follow each other */
    yields(): boolean {
      forgetOld();
      return begunMs.size > 0 && now() - busySinceMs < YIELDS_MS;
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
