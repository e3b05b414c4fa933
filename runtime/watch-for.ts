/**
 * Looks for something again and again, with a pause after each look, until it is found. The timer keeps no process alive.
 *
 * @param look returns what to do once it is found; undefined otherwise
 * @returns a function that ends the looks
 */
export function watchFor(everyMs: number, look: () => Promise<(() => void) | undefined>): () => void {
  const timer = setTimeout(() => {
    void look().then((onFound) => {
      if (isOver) return;
      if (onFound === undefined) timer.refresh();
      else onFound();
    });
  }, everyMs).unref();
  let isOver = false;
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
