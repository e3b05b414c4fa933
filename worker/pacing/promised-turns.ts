/** So long a place may stay free for those of many who were turned away earlier, and somebody else wait who came later. */
const MAX_WAIT_MS = 30_000;

/** Spreads those who are turned away over the time in which their turns should come. */
export class PromisedTurns {
  #lastMs = 0;

  /**
   * @param atMs when the first of them may have its turn
   * @param eachMs how long a turn takes
   */
  next(atMs: number, eachMs: number): number {
    const firstMs = Math.max(atMs, Date.now());
    this.#lastMs = Math.min(Math.max(this.#lastMs, firstMs) + eachMs, firstMs + MAX_WAIT_MS);
    // Those beyond the limit shall not come all at once.
    return Math.min(this.#lastMs, firstMs + MAX_WAIT_MS * (0.5 + Math.random() / 2));
  }
}
