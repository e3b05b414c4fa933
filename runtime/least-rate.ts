/** Fewest bytes in a while: whoever sends one now and then is never silent, and would hold a job for hours. */
export interface LeastRate {
  readonly bytes: number;
  readonly windowMs: number;
}

/** @param onSlow told after each while in which less came @returns what ends the watching */
export function watchRate(
  { bytes, windowMs }: LeastRate,
  soFar: () => number | Promise<number>,
  onSlow: () => void,
): () => void {
  let isOver = false;
  let before: number | undefined;
  const look = async (): Promise<void> => {
    const now = await soFar();
    if (isOver) return;
    if (before !== undefined && now - before < bytes) onSlow();
    before = now;
  };
  void look();
  const timer = setInterval(() => void look(), windowMs);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
