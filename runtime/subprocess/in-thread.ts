import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const ENTRY = new URL('./thread-entry.mjs', import.meta.url);

/** The work in a thread failed. Its `cause` is the error of the thread. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}

export interface ThreadWork {
  /** A module whose default export takes the input and returns an iterable. */
  readonly module: URL;
  readonly input: unknown;
  readonly signal?: AbortSignal;
  /** Maximum heap of the thread. Exceeding it ends the thread only. */
  readonly maxHeapMb: number;
  /** Maximum wait for an item, in milliseconds. Exceeding it ends the thread. */
  readonly timeoutMs?: number;
}

/**
 * Runs work that would block the event loop in its own thread, and yields its items one by one, each made on demand. Items are
 * copied between the threads, so each should be small.
 *
 * @throws ThreadError; the signal's reason
 */
export async function* inThread<Item>({
  module,
  input,
  signal,
  maxHeapMb,
  timeoutMs,
}: ThreadWork): AsyncGenerator<Item> {
  signal?.throwIfAborted();
  const worker = new Worker(ENTRY, {
    workerData: { module: module.href, input },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    // A parser of untrusted data must not see the settings of the service.
    env: {},
  });
  const onAbort = (): void => void worker.terminate();
  let late: NodeJS.Timeout | undefined;
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      worker.postMessage('next');
      if (timeoutMs !== undefined) late = setTimeout(onAbort, timeoutMs);
      const answer = await answerOf(worker, signal).finally(() => clearTimeout(late));
      if (answer === undefined) return;
      yield answer.item as Item;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}

type Answer = { readonly item: unknown } | { readonly error: string } | undefined;

async function answerOf(worker: Worker, signal: AbortSignal | undefined): Promise<{ item: unknown } | undefined> {
  const done = new AbortController();
  try {
    const [answer] = (await Promise.race([
      once(worker, 'message', { signal: done.signal }),
      once(worker, 'exit', { signal: done.signal }).then(() => [{ error: 'the thread ended' }]),
    ])) as [Answer];
    if (answer === undefined || !('error' in answer)) return answer;
    throw new Error(answer.error);
  } catch (error) {
    signal?.throwIfAborted();
    throw new ThreadError('work in a thread failed', { cause: error });
  } finally {
    done.abort();
  }
}
