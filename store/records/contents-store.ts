import { Binary, type Collection, type Db } from 'mongodb';
import { LONG_PARTS, MissingContentsError, type KeptFacts } from '../../contract/kinds/contents.ts';
import { LIST_PIECE_MAX_BYTES, PIECE_MAX_CHARS, PIECE_MAX_ITEMS } from '../../contract/request-limits.ts';
import type { StoredList } from '../../contract/download-record.ts';
import { ItemStream, itemsIn, PackedList, type PackedItems } from '../../contract/http/streams.ts';
import { gzipOf, gzipPartOf, joinParts, unzip, type GzipPart } from '../../runtime/gzip-parts.ts';
import { createRecentCache } from '../../runtime/recent-cache.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import { upsert } from '../mongo/upsert.ts';

export interface ListingState extends StoredList {
  /** The upstream's cursor after the last piece; absent when the list is complete. */
  readonly next?: string;
}

interface ContentsDocument {
  /** The record ID for facts, with the list's name for a listing state, and also with the number for a piece. */
  _id: string;
  /** Facts, or the items of a piece joined by commas, as gzipped JSON. */
  packed?: Binary;
  /** Long parts of facts, which are stored in pieces. */
  parts?: Readonly<Record<string, StoredList>>;
  state?: ListingState;
}

/** The pieces of lists that a process caches for its readers of a page, or of the same list; a few megabytes. */
const PIECES_KNOWN = 32;

interface ListName {
  readonly recordId: string;
  readonly name: string;
}
type PieceName = ListName & { readonly number: number };

/** All writes may be repeated. */
export type ContentsStore = ReturnType<typeof createContentsStore>;

export function createContentsStore(db: Db) {
  const contents: Collection<ContentsDocument> = db.collection('contents');
  const known = createRecentCache<Promise<PackedItems>>({ keptMs: 5_000, most: PIECES_KNOWN });
  const find = async (id: string) => (await contents.findOne({ _id: id })) ?? undefined;
  const put = async (id: string, fields: Omit<ContentsDocument, '_id'>): Promise<void> => {
    // Replacing the document removes the fields of an earlier write.
    await upsert(() => contents.replaceOne({ _id: id }, fields, { upsert: true }));
    known.forget(id);
  };
  const piece = async <Item>(name: PieceName): Promise<readonly Item[] | undefined> => {
    const packed = (await find(pieceIdOf(name)))?.packed;
    return packed && (itemsIn(await unzip(packed.value())) as readonly Item[]);
  };
  const readPiece = async (id: string): Promise<PackedItems> => {
    const gzip = (await find(id))?.packed?.value();
    if (gzip !== undefined) return packedItems(gzip);
    // A list that has lost a piece must not look complete.
    throw new MissingContentsError(id);
  };
  const packedPiece = (name: PieceName): Promise<PackedItems> => {
    const id = pieceIdOf(name);
    const reading = known.get(id) ?? known.keep(id, readPiece(id));
    // A failure is not cached.
    reading.catch(() => known.forget(id));
    return reading;
  };
  // It reads one piece at a time, because the embedded server finds one `_id` by its index but scans for several.
  async function* packedPieces({ pieces, ...list }: ListName & { readonly pieces: number }, first: number) {
    let next = first <= pieces ? packedPiece({ ...list, number: first }) : undefined;
    for (let number = first; next !== undefined; number += 1) {
      const items = await next;
      next = number < pieces ? packedPiece({ ...list, number: number + 1 }) : undefined;
      // The failure appears when the piece is due.
      next?.catch(() => undefined);
      yield items;
    }
  }
  const list = <Item>(named: ListName & { readonly pieces: number }) =>
    new PackedList<Item>(named.pieces, (first) => packedPieces(named, first));
  const putPacked = (name: PieceName, part: GzipPart) => put(pieceIdOf(name), { packed: new Binary(gzipOf(part)) });
  const putList = async (list: ListName, values: Iterable<unknown> | AsyncIterable<unknown>): Promise<StoredList> => {
    let pieces = 0;
    let items = 0;
    for await (const piece of piecesOf(values)) {
      pieces += 1;
      items += piece.items;
      await putPacked({ ...list, number: pieces }, await gzipPartOf(piece.json));
    }
    return { pieces, items };
  };
  return {
    piece,
    putList,
    list,
    /** @param from the size so far @returns stores further items, in the last piece that it has written while there is room */
    appendTo(list: ListName, from: StoredList): (items: readonly object[]) => Promise<StoredList> {
      let { pieces, items } = from;
      let last: GzipPart | undefined;
      return async (added) => {
        if (added.length === 0) return { pieces, items };
        const part = await gzipPartOf(jsonOf(added));
        const isFull = last === undefined || last.bytes + part.bytes > LIST_PIECE_MAX_BYTES;
        last = last === undefined || isFull ? part : joinParts([last, await comma, part]);
        pieces += isFull ? 1 : 0;
        await putPacked({ ...list, number: pieces }, last);
        items += added.length;
        return { pieces, items };
      };
    },
    async facts<Facts extends object>(recordId: string): Promise<KeptFacts<Facts> | undefined> {
      const { packed, parts = {} } = (await find(recordId)) ?? {};
      if (packed === undefined) return undefined;
      const facts = JSON.parse((await unzip(packed.value())).toString('utf8')) as Record<string, unknown>;
      for (const [name, value] of longPartsOf(facts)) {
        facts[name] = new ItemStream(async function* () {
          yield await Promise.resolve(value);
        }, value.length);
      }
      for (const [name, { pieces, items }] of Object.entries(parts))
        facts[name] = new ItemStream(() => list({ recordId, name, pieces }).pages(), items);
      return facts as KeptFacts<Facts>;
    },
    async putFacts(recordId: string, facts: object): Promise<void> {
      const long = longPartsOf(facts);
      const json = long.every(([, items]) => items.length <= PIECE_MAX_ITEMS) ? JSON.stringify(facts) : undefined;
      if (json !== undefined && (long.length === 0 || json.length <= PIECE_MAX_CHARS)) {
        await put(recordId, { packed: await pack(json) });
        return;
      }
      const parts: Record<string, StoredList> = {};
      for (const [name, items] of long) parts[name] = await putList({ recordId, name }, items);
      const short = Object.entries(facts).filter(([key]) => !(key in parts));
      await put(recordId, { packed: await pack(JSON.stringify(Object.fromEntries(short))), parts });
    },
    async putPiece(name: PieceName, items: readonly object[]): Promise<void> {
      await putPacked(name, await gzipPartOf(jsonOf(items)));
    },
    async removePieces(list: ListName, pieces: number): Promise<void> {
      for (let number = 1; number <= pieces; number += 1) {
        const id = pieceIdOf({ ...list, number });
        await contents.deleteOne({ _id: id });
        known.forget(id);
      }
    },
    /** The pieces that the state counts must have been written. */
    putState: ({ recordId, name }: ListName, state: ListingState) => put(`${recordId}/${name}`, { state }),
    state: async ({ recordId, name }: ListName) => (await find(`${recordId}/${name}`))?.state,
  };
}

function packedItems(gzip: Uint8Array): PackedItems {
  return { gzip, unpack: () => unzip(gzip) };
}

/** A list that is not stored, such as that of an example. */
export function packedListOf<Item>(items: readonly Item[]): PackedList<Item> {
  return new PackedList(Math.min(1, items.length), async function* () {
    if (items.length > 0) yield packedItems(gzipOf(await gzipPartOf(jsonOf(items))));
  });
}

function pieceIdOf({ recordId, name, number }: PieceName): string {
  return `${recordId}/${name}/${String(number)}`;
}

function longPartsOf(facts: object) {
  const values = new Map<string, unknown>(Object.entries(facts));
  return LONG_PARTS.flatMap((name) => {
    const items = values.get(name);
    return Array.isArray(items) ? [[name, items as readonly unknown[]] as const] : [];
  });
}

/** The pieces are small enough not to block the event loop. A larger item becomes a piece of its own. */
async function* piecesOf(items: Iterable<unknown> | AsyncIterable<unknown>) {
  const giveWay = createYielder();
  let held: string[] = [];
  let heldChars = 0;
  for await (const item of items) {
    const json = JSON.stringify(item);
    const isFull = heldChars + json.length > PIECE_MAX_CHARS || held.length === PIECE_MAX_ITEMS;
    if (isFull && held.length > 0) {
      yield { json: held.join(','), items: held.length };
      held = [];
      heldChars = 0;
    }
    held.push(json);
    heldChars += json.length;
    await giveWay();
  }
  if (held.length > 0) yield { json: held.join(','), items: held.length };
}

const comma = gzipPartOf(',');

function jsonOf(items: readonly unknown[]): string {
  return items.map((item) => JSON.stringify(item)).join(',');
}

/** Unpacked, 20,000 items (60 MB) took two minutes to read, since the embedded server parses what it scans. */
export async function pack(json: string): Promise<Binary> {
  return new Binary(gzipOf(await gzipPartOf(json)));
}
