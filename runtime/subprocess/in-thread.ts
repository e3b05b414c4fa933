import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const ENTRY = new URL('./thread-entry.mjs', import.meta.url);

/** The work in a thread failed; `cause` names the error as the thread threw it. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}

export interface ThreadWork {
  /** Its default export takes the input and returns an iterable. */
  readonly module: URL;
  /** Can be cloned. */
  readonly input: unknown;
  readonly signal?: AbortSignal;
  /** Most memory for what it makes. More ends the thread alone. */
  readonly maxHeapMb: number;
  /** Longest wait for an item, in milliseconds. More ends the thread. */
  readonly timeoutMs?: number;
}

/**
 * Runs work that would hold the event loop in a thread of its own, and hands over what it yields one by one: the next item is
 * made when it is asked for. Items are copied on both sides, so each should be small.
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
    // The service's settings are no business of what reads a stranger's data.
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
  const over = new AbortController();
  try {
    const [answer] = (await Promise.race([
      once(worker, 'message', { signal: over.signal }),
      once(worker, 'exit', { signal: over.signal }).then(() => [{ error: 'the thread ended' }]),
    ])) as [Answer];
    if (answer === undefined || !('error' in answer)) return answer;
    throw new Error(answer.error);
  } catch (error) {
    signal?.throwIfAborted();
    throw new ThreadError('work in a thread failed', { cause: error });
  } finally {
    over.abort();
  }
}
