import type { ResultPage } from '../../contract/http/fields.ts';
import { PackedList } from '../../contract/http/streams.ts';
import { invalidField } from '../http/to-api-error.ts';

const DEFAULT_LIMIT = 100;

/** `piece` from 1, and the number of its items before the page. */
interface Position {
  readonly piece: number;
  readonly offset: number;
}

export function isPage({ limit, cursor }: ResultPage): boolean {
  return limit !== undefined || cursor !== undefined;
}

/** @returns the result with a page of its list, and the cursor of the next one @throws ApiError `invalid_input` */
export async function withPage<Result extends object>(
  id: string,
  result: Result,
  { limit = DEFAULT_LIMIT, cursor }: ResultPage,
): Promise<Result> {
  const [name, list] = Object.entries(result).find(([, value]) => value instanceof PackedList) ?? [];
  if (name === undefined || !(list instanceof PackedList)) {
    throw invalidField(cursor === undefined ? 'limit' : 'cursor', 'The result of this download has no list.');
  }
  const { piece, offset } = cursor === undefined ? { piece: 1, offset: 0 } : positionIn(id, cursor);
  const items: unknown[] = [];
  let next: Position | undefined = { piece, offset };
  for await (const all of (list as PackedList<unknown>).pages(piece)) {
    if (next.offset >= all.length) break;
    const end = Math.min(all.length, next.offset + limit - items.length);
    items.push(...all.slice(next.offset, end));
    const isLast = end === all.length && next.piece === list.pieces;
    if (isLast) next = undefined;
    else next = end < all.length ? { piece: next.piece, offset: end } : { piece: next.piece + 1, offset: 0 };
    if (next === undefined || items.length === limit) break;
  }
  if (cursor !== undefined && items.length === 0) throw noCursor();
  return { ...result, [name]: items, next_cursor: next && list.pieces > 0 ? cursorOf(id, next) : null };
}

function cursorOf(id: string, { piece, offset }: Position): string {
  return Buffer.from([id, piece, offset].join('.')).toString('base64url');
}

function positionIn(id: string, cursor: string): Position {
  const [of, piece, offset] = Buffer.from(cursor, 'base64url').toString('utf8').split('.');
  const position = { piece: Number(piece), offset: Number(offset) };
  const isPosition = [position.piece - 1, position.offset].every((one) => Number.isSafeInteger(one) && one >= 0);
  // Node's decoder skips invalid characters.
  if (of !== id || !isPosition || cursorOf(id, position) !== cursor) throw noCursor();
  return position;
}

function noCursor() {
  return invalidField('cursor', 'It must be `next_cursor` of a page of this result.');
}
