import { readCaptions, type CaptionsFile } from '../captions/read-captions.ts';
import { readClipped } from './read-clipped.ts';
import { readComments, type CommentsFile } from './read-comments.ts';
import { readerResults, type ReaderResult } from './read-file.ts';

const READERS = { readCaptions, readComments, readClipped };

/** The entry point of the thread that read-file.ts starts. */
export default function (work: {
  readonly reader: keyof typeof READERS;
  readonly input: CaptionsFile & CommentsFile;
}): Iterable<ReaderResult<unknown>> {
  return readerResults<unknown>(READERS[work.reader](work.input));
}
