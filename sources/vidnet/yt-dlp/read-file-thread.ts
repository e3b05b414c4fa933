import { readCaptions, type CaptionsFile } from '../captions/read-captions.ts';
import { readComments, type CommentsFile } from './read-comments.ts';
import { readerResults, type ReaderResult } from './read-file.ts';
import { readClipped } from './read-clipped.ts';

const READERS = { readCaptions, readComments, readClipped };

/** Entry point of the thread that read-file.ts starts. It runs the named reader. */
export default function (order: {
  readonly reader: keyof typeof READERS;
  readonly input: CaptionsFile & CommentsFile;
}): Iterable<ReaderResult<unknown>> {
  return readerResults<unknown>(READERS[order.reader](order.input));
}
