import type { SuccessRecord } from '../download-record.ts';
import { ItemStream } from '../http/streams.ts';
import type { ContentsReader } from './contents.ts';
import { wholeItems, type WholeItem } from './imgnet-media.ts';

/** @returns the stored posts or reels of a list as a stream, with every field of the answer */
export function listItemsOf<Name extends keyof WholeItem>(
  record: SuccessRecord,
  name: Name,
  contents: ContentsReader,
): ItemStream<WholeItem[Name]> {
  const pieces = record.lists?.[name]?.pieces ?? 0;
  const complete = wholeItems[name] as (stored: object) => WholeItem[Name];
  return new ItemStream(() => contents.pages<object>({ recordId: record.id, name, pieces })).map(complete);
}
