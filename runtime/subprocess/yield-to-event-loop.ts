/** Maximum time that work may hold the event loop. */
const SLICE_MS = 5;

const waiting: (() => void)[] = [];

/** Resolves in a later iteration of the event loop. Only one caller continues per iteration, because many together would block it. */
export function nextEventLoopIteration(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
}

/** @returns a function that lets other work run if the slice is used up, and throws the signal's reason when aborted */
export function createYielder(signal?: AbortSignal): () => Promise<void> {
  let startedMs = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - startedMs < SLICE_MS) return;
    await nextEventLoopIteration();
    signal?.throwIfAborted();
    startedMs = performance.now();
  };
}
