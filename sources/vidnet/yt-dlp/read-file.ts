import { on } from 'node:events';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Failure } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { bounded } from '../fact-schemas.ts';
import { subjectError } from './yt-dlp-failures.ts';

const THREAD = new URL('./read-file-thread.ts', import.meta.url);
/** Smaller files are parsed in this thread within 20 ms. A longer parse would delay the heartbeats of all jobs. */
const INLINE_MAX_BYTES = 256 * 1024;
/** The first item takes longest, because the whole file is parsed for it. */
const ITEM_TIMEOUT_MS = 60_000;
/** Holds the parsed form of 64 MB of text. */
const MAX_HEAP_MB = 512;

/** The answer of the thread to a message. */
export type ThreadAnswer<Item> = { readonly item: Item } | { readonly failure: Failure } | 'end';

/** Small files are read in this thread, large ones in another. @throws what the reader throws; JobError `too_large` */
export async function* readFileBy<Input extends { readonly path: string }, Item>(
  reader: ((input: Input) => Iterable<Item>) & { readonly name: string },
  input: Input,
  { signal }: Pick<SourceCall, 'signal'>,
): AsyncGenerator<Item> {
  if ((await stat(input.path)).size <= INLINE_MAX_BYTES) {
    yield* reader(input);
    return;
  }
  signal.throwIfAborted();
  // A parser of untrusted data must not see the settings of the service.
  const limits = { env: {}, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } };
  const worker = new Worker(THREAD, { workerData: { reader: reader.name, input }, ...limits });
  const end = (): void => void worker.terminate();
  signal.addEventListener('abort', end, { once: true });
  let late: NodeJS.Timeout | undefined;
  const request = (): void => {
    late = setTimeout(end, ITEM_TIMEOUT_MS);
    worker.postMessage('next');
  };
  try {
    const answers = on(worker, 'message', { close: ['exit'] }) as AsyncIterable<[ThreadAnswer<Item>]>;
    request();
    for await (const [answer] of answers) {
      clearTimeout(late);
      if (answer === 'end') return;
      if ('failure' in answer) throw new JobError(answer.failure);
      yield answer.item;
      request();
    }
    throw new Error('the thread ended');
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof JobError ? error : subjectError('upstreamDataTooLarge', 'video', error);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}

/** More than the driver keeps of any text. */
const TEXT_MAX_CHARS = 64 * 1024;
/** More than there are languages of captions. */
const ENTRIES_MAX = 500;
const WHOLE_MAX_CHARS = 1024 * 1024;

/** Cuts long texts and lists, so that the result can be validated in one step of the event loop. */
export function* readClipped({ path }: { readonly path: string }): Generator {
  const value = clipped(parseJson(readFileSync(path, 'utf8')));
  if (value !== undefined && JSON.stringify(value).length > WHOLE_MAX_CHARS)
    throw subjectError('upstreamDataTooLarge', 'video');
  yield value;
}

function clipped(value: unknown): unknown {
  if (typeof value === 'string') return bounded(value, TEXT_MAX_CHARS);
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map(clipped);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, ENTRIES_MAX);
  return Object.fromEntries(entries.map(([key, entry]) => [key, clipped(entry)]));
}
