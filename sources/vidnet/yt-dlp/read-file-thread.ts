import { parentPort, workerData } from 'node:worker_threads';
import { JobError } from '../../../runtime/job-error.ts';
import { readCaptions, type CaptionsFile } from '../captions/read-captions.ts';
import { readComments, type CommentsFile } from './read-comments.ts';
import { readClipped, type ThreadAnswer } from './read-file.ts';

const READERS = { readCaptions, readComments, readClipped };
const { reader, input } = workerData as { reader: keyof typeof READERS; input: CaptionsFile & CommentsFile };
const items = (READERS[reader](input) as Iterable<unknown>)[Symbol.iterator]();

function nextAnswer(): ThreadAnswer<unknown> {
  try {
    const next = items.next();
    return next.done === true ? 'end' : { item: next.value };
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

// Each item is made on demand. Items are copied between the threads, so each should be small.
parentPort?.on('message', () => parentPort?.postMessage(nextAnswer()));
