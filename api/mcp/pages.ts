import { ItemStream, PackedList, TextStream } from '../../contract/http/streams.ts';
import { formatDuration } from '../../contract/text/times.ts';
import { invalidField } from '../http/to-api-error.ts';

/** Assistants take results of 25,000 tokens. A token of text has two bytes or more in any language, and four in English. */
export const PAGE_MAX_BYTES = 48_000;
/** A character has at most three bytes per code unit. */
const PART_MAX_CHARS = PAGE_MAX_BYTES / 3;

/** Where a page begins, and how the lines of transcripts are written. */
export interface Cursor {
  /** A line of the text of a result, from 0, and the number of its characters before the page. */
  readonly line: number;
  readonly offset: number;
  readonly times: boolean;
  readonly speakers: boolean;
}

/** The text of a result: a line of JSON with everything short, and then each long list with a line for each item. */
async function* linesOf(body: unknown, shown: Cursor): AsyncGenerator<string> {
  const lists = new Map<string, AsyncIterable<readonly unknown[]>>();
  yield JSON.stringify(withoutLists(body, lists));
  for (const [name, pages] of lists) {
    yield `${name}:`;
    for await (const items of pages) for (const item of items) yield lineOf(item, shown);
  }
}

/** The full text of a transcript, the only text that is streamed, is left out, since its lines follow. */
function withoutLists(body: unknown, lists: Map<string, AsyncIterable<readonly unknown[]>>): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const short = Object.entries(body).filter(([name, part]) => {
    const isList = part instanceof PackedList || part instanceof ItemStream;
    if (isList) lists.set(name, (part as PackedList<unknown> | ItemStream<unknown>).pages());
    return !isList && !(part instanceof TextStream);
  });
  return Object.fromEntries(short.map(([name, part]) => [name, withoutLists(part, lists)]));
}

function lineOf(item: unknown, { times, speakers }: Cursor): string {
  const { text, start, speaker } = item as Readonly<Partial<Record<'text' | 'start' | 'speaker', string>>>;
  if (text === undefined || start === undefined) return JSON.stringify(item);
  // Such as 0:05 and 1:00:05.
  const time = times ? `[${formatDuration(Math.floor(Number(start))).replace(/^(?:00:)?0?/, '')}] ` : '';
  const who = speakers && speaker !== undefined ? `${speaker}: ` : '';
  return `${time}${who}${text}`.replaceAll(/\s+/g, ' ');
}

/** @returns as many lines from a position as fit, and the next one; a longer line is continued on the next page */
export async function pageOf(body: unknown, from: Cursor): Promise<{ readonly text: string; readonly next?: Cursor }> {
  let text = '';
  let bytes = 0;
  let line = -1;
  for await (const whole of linesOf(body, from)) {
    line += 1;
    if (line < from.line) continue;
    const start = line === from.line ? from.offset : 0;
    const rest = `${whole.slice(start)}\n`;
    const size = Buffer.byteLength(rest);
    if (bytes + size <= PAGE_MAX_BYTES) {
      text += rest;
      bytes += size;
    } else if (text !== '') {
      return { text, next: { ...from, line, offset: 0 } };
    } else {
      const part = rest.slice(0, PART_MAX_CHARS).replace(/[\uD800-\uDBFF]$/, '');
      return { text: part, next: { ...from, line, offset: start + part.length } };
    }
  }
  return { text };
}

export function cursorOf(id: string, { line, offset, times, speakers }: Cursor): string {
  return Buffer.from([id, line, offset, Number(times), Number(speakers)].join('.')).toString('base64url');
}

/** @throws ApiError `invalid_input` for a text that is no cursor of this result */
export function cursorIn(id: string, cursor: string): Cursor {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, of, line, offset, times, speakers] = /^(\w+)\.(\d{1,9})\.(\d{1,9})\.([01])\.([01])$/.exec(text) ?? [];
  if (of !== id) throw invalidField('cursor', 'It must be the cursor that a page of this result names.');
  return { line: Number(line), offset: Number(offset), times: times === '1', speakers: speakers === '1' };
}
