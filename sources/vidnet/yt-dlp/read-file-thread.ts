import { readCaptions, type CaptionsFile } from '../captions/read-captions.ts';
import { readComments, type CommentsFile } from './read-comments.ts';
import { told, type Told } from './read-file.ts';
import { readClipped } from './read-clipped.ts';

const READERS = { readCaptions, readComments, readClipped };

/** What runs in a thread (read-file.ts): the reader of that name. */
export default function (order: {
  readonly reader: keyof typeof READERS;
  readonly input: CaptionsFile & CommentsFile;
}): Iterable<Told<unknown>> {
  return told<unknown>(READERS[order.reader](order.input));
}
