export type JobEnds = ReturnType<typeof createJobEnds>;

/** Announces the jobs that end in this process, so that a batch starts its next items without waiting to look for ends. */
export function createJobEnds() {
  const listeners = new Set<Set<string>>();
  return {
    note(recordId: string): void {
      for (const ids of listeners) ids.add(recordId);
    },
    /** @returns a set that receives the IDs of records until it is left */
    listen(): Set<string> {
      const ids = new Set<string>();
      listeners.add(ids);
      return ids;
    },
    leave: (ids: Set<string>) => listeners.delete(ids),
  };
}
