/** Longer work than this gives way. */
const TURN_MS = 5;

const waiting: (() => void)[] = [];

/** Resolves in a later turn of the event loop, where nobody else who waits here goes on: a hundred of them would fill a turn. */
export function nextEventLoopIteration(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneGoOn);
  });
}

function letOneGoOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
}

/** @returns lets other work run when this has taken long enough. @throws the signal's reason */
export function createYielder(signal?: AbortSignal): () => Promise<void> {
  let began = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - began < TURN_MS) return;
    await nextEventLoopIteration();
    signal?.throwIfAborted();
    began = performance.now();
  };
}
