import { ItemStream, PackedList, TextStream } from '../../contract/http/streams.ts';
import { itemsIn } from '../../store/records/contents-store.ts';
import { invalidField } from '../http/to-api-error.ts';

/** Assistants take results of 25,000 tokens. A token of text has two bytes or more in any language, and four in English. */
export const PAGE_MAX_BYTES = 48_000;
/** A character has at most three bytes per code unit. */
const PART_MAX_CHARS = PAGE_MAX_BYTES / 3;

/** How lines of transcripts are written. */
export interface Shown {
  readonly times: boolean;
  readonly speakers: boolean;
}

/** A line of the text of a result, from 0, and the number of its characters before the page. */
export interface Position {
  readonly line: number;
  readonly offset: number;
}

/** The text of a result: a line of JSON with everything short, and then each long list with a line for each item. */
export async function* linesOf(body: unknown, shown: Shown): AsyncGenerator<string> {
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
    if (part instanceof PackedList) lists.set(name, unpacked(part));
    else if (part instanceof ItemStream) lists.set(name, (part as ItemStream<unknown>).pages());
    return ![PackedList, ItemStream, TextStream].some((stream) => part instanceof stream);
  });
  return Object.fromEntries(short.map(([name, part]) => [name, withoutLists(part, lists)]));
}

async function* unpacked(list: PackedList<unknown>): AsyncGenerator<readonly unknown[]> {
  for await (const { unpack } of list.pieces === 0 ? [] : list.from(1)) yield itemsIn(await unpack());
}

interface Line {
  readonly text: string;
  readonly start: string | number;
  readonly speaker?: string | undefined;
}

function lineOf(item: unknown, { times, speakers }: Shown): string {
  if (!isLine(item)) return JSON.stringify(item);
  const time = times ? `[${clock(Number(item.start))}] ` : '';
  const speaker = speakers && item.speaker !== undefined ? `${item.speaker}: ` : '';
  return `${time}${speaker}${item.text}`.replaceAll(/\s+/g, ' ');
}

function isLine(item: unknown): item is Line {
  return typeof item === 'object' && item !== null && 'start' in item && 'text' in item;
}

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  return parts
    .slice(parts[0] === 0 ? 1 : 0)
    .map((part, i) => String(part).padStart(i === 0 ? 1 : 2, '0'))
    .join(':');
}

export interface Page {
  readonly text: string;
  /** Where the next page begins; absent on the last one. */
  readonly next?: Position;
}

/** @returns as many lines from a position as fit; a longer line is continued on the next page */
export async function pageOf(lines: AsyncIterable<string>, { line: first, offset }: Position): Promise<Page> {
  let text = '';
  let bytes = 0;
  let line = -1;
  for await (const whole of lines) {
    line += 1;
    if (line < first) continue;
    const start = line === first ? offset : 0;
    const rest = `${whole.slice(start)}\n`;
    const size = Buffer.byteLength(rest);
    if (bytes + size <= PAGE_MAX_BYTES) {
      text += rest;
      bytes += size;
    } else if (text !== '') {
      return { text, next: { line, offset: 0 } };
    } else {
      const part = rest.slice(0, PART_MAX_CHARS).replace(/[\uD800-\uDBFF]$/, '');
      return { text: part, next: { line, offset: start + part.length } };
    }
  }
  return { text };
}

export interface Cursor extends Position, Shown {}

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
