/** Vitest logs what a global teardown throws, and ends as well as if nothing had been: with this one the run has failed. */
export function countedTeardown(teardown: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await teardown();
    } catch (error) {
      process.exitCode = 1;
      throw error;
    }
  };
}
