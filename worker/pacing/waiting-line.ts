/** Who waits for a place: first come, first served. */
export class WaitingLine {
  readonly #takers = new Set<() => void>();

  get isEmpty(): boolean {
    return this.#takers.size === 0;
  }

  /** Resolves when it is the caller's turn. @throws the signal's reason when that comes first */
  join(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#takers.delete(take);
        // The SDK takes anything else for an error of ours.
        reject(signal.reason as Error);
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener('abort', leave, { once: true });
      this.#takers.add(take);
    });
  }

  takeFirst(): void {
    const [take] = this.#takers;
    if (take === undefined) return;
    this.#takers.delete(take);
    take();
  }
}
