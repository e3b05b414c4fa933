import { stat } from 'node:fs/promises';
import type { Failure } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { inThread, ThreadError } from '../../../runtime/subprocess/in-thread.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { subjectError } from './yt-dlp-failures.ts';

const MODULE = new URL('./read-file-thread.ts', import.meta.url);
/** Smaller files are parsed in this thread within 20 ms. A longer parse would delay the heartbeats of all jobs. */
const INLINE_MAX_BYTES = 256 * 1024;
/** The first item takes longest, because the whole file is parsed for it. */
const ITEM_TIMEOUT_MS = 60_000;
/** Holds the parsed form of 64 MB of text. */
const MAX_HEAP_MB = 512;

/** An item or failure of a reader, in a form that can be sent to another thread. */
export type ReaderResult<Item> = { readonly item: Item } | { readonly failure: Failure };

export function* readerResults<Item>(reader: Iterable<Item>): Generator<ReaderResult<Item>> {
  try {
    for (const item of reader) yield { item };
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    yield { failure: { code: error.code, message: error.message } };
  }
}

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
  const limits = { signal, maxHeapMb: MAX_HEAP_MB, timeoutMs: ITEM_TIMEOUT_MS };
  const work = { module: MODULE, input: { reader: reader.name, input }, ...limits };
  try {
    for await (const answer of inThread<ReaderResult<Item>>(work)) {
      if ('failure' in answer) throw new JobError(answer.failure);
      yield answer.item;
    }
  } catch (error) {
    if (!(error instanceof ThreadError)) throw error;
    throw subjectError('upstreamDataTooLarge', 'video', error);
  }
}
