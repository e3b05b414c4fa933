import { PIECE_MAX_CHARS, PIECE_MAX_ITEMS } from '../../contract/limits.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';

export interface Piece {
  readonly json: string;
  readonly items: number;
}

/**
 * Parts a list into the JSON of pieces that are small enough to be written and read in one turn of the event loop. An item
 * that is larger than a piece is one of its own.
 */
export async function* piecesOf(items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Piece> {
  const giveWay = createYielder();
  let held: string[] = [];
  let heldChars = 0;
  const take = (): Piece => {
    const piece = { json: `[${held.join(',')}]`, items: held.length };
    held = [];
    heldChars = 0;
    return piece;
  };
  for await (const item of items) {
    const json = JSON.stringify(item);
    const isFull = heldChars + json.length > PIECE_MAX_CHARS || held.length === PIECE_MAX_ITEMS;
    if (isFull && held.length > 0) yield take();
    held.push(json);
    heldChars += json.length;
    await giveWay();
  }
  if (held.length > 0) yield take();
}
