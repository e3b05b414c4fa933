import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Binary, type Collection, type Db } from 'mongodb';
import { LONG_PARTS, MissingContentsError, type KeptFacts } from '../../contract/kinds/contents.ts';
import { PIECE_MAX_CHARS, PIECE_MAX_ITEMS } from '../../contract/request-limits.ts';
import type { StoredList } from '../../contract/download-record.ts';
import { ItemStream } from '../../contract/http/streams.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import { upsert } from '../mongo/upsert.ts';

export interface ListingState extends StoredList {
  /** The upstream's cursor after the last piece; absent when the list is complete. */
  readonly next?: string;
}

interface ContentsDocument {
  /** The record ID for facts, with the list's name for a listing state, and also with the number for a piece. */
  _id: string;
  /** Facts, or the items of a piece, as gzipped JSON. */
  packed?: Binary;
  /** Long parts of facts, which are stored in pieces. */
  parts?: Readonly<Record<string, StoredList>>;
  state?: ListingState;
}

interface ListName {
  readonly recordId: string;
  readonly name: string;
}
type PieceName = ListName & { readonly number: number };

/** All writes may be repeated. */
export type ContentsStore = ReturnType<typeof createContentsStore>;

export function createContentsStore(db: Db) {
  const contents: Collection<ContentsDocument> = db.collection('contents');
  const find = async (id: string) => (await contents.findOne({ _id: id })) ?? undefined;
  const put = async (id: string, fields: Omit<ContentsDocument, '_id'>): Promise<void> => {
    // Replacing the document removes the fields of an earlier write.
    await upsert(() => contents.replaceOne({ _id: id }, fields, { upsert: true }));
  };
  const piece = async <Item>(name: PieceName): Promise<readonly Item[] | undefined> => {
    const packed = (await find(pieceIdOf(name)))?.packed;
    return packed && ((await unpack(packed)) as readonly Item[]);
  };
  // It reads one piece at a time, because the embedded server finds one `_id` by its index but scans for several.
  async function* pages<Item>({ pieces, ...list }: ListName & { readonly pieces: number }) {
    for (let number = 1; number <= pieces; number += 1) {
      const page = await piece<Item>({ ...list, number });
      // A list that has lost a piece must not look complete.
      if (page === undefined) throw new MissingContentsError(pieceIdOf({ ...list, number }));
      yield page;
    }
  }
  const putList = async (list: ListName, values: Iterable<unknown> | AsyncIterable<unknown>): Promise<StoredList> => {
    let pieces = 0;
    let items = 0;
    for await (const piece of piecesOf(values)) {
      pieces += 1;
      items += piece.items;
      await put(pieceIdOf({ ...list, number: pieces }), { packed: await pack(piece.json) });
    }
    return { pieces, items };
  };
  return {
    piece,
    pages,
    putList,
    async facts<Facts extends object>(recordId: string): Promise<KeptFacts<Facts> | undefined> {
      const { packed, parts = {} } = (await find(recordId)) ?? {};
      if (packed === undefined) return undefined;
      const facts = (await unpack(packed)) as Record<string, unknown>;
      for (const [name, value] of longPartsOf(facts)) {
        facts[name] = new ItemStream(async function* () {
          yield await Promise.resolve(value);
        }, value.length);
      }
      for (const [name, { pieces, items }] of Object.entries(parts)) {
        facts[name] = new ItemStream(() => pages({ recordId, name, pieces }), items);
      }
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
      await put(pieceIdOf(name), { packed: await pack(JSON.stringify(items)) });
    },
    async removePieces(list: ListName, pieces: number): Promise<void> {
      for (let number = 1; number <= pieces; number += 1) {
        await contents.deleteOne({ _id: pieceIdOf({ ...list, number }) });
      }
    },
    /** The pieces that the state counts must have been written. */
    putState: ({ recordId, name }: ListName, state: ListingState) => put(`${recordId}/${name}`, { state }),
    state: async ({ recordId, name }: ListName) => (await find(`${recordId}/${name}`))?.state,
  };
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
      yield { json: `[${held.join(',')}]`, items: held.length };
      held = [];
      heldChars = 0;
    }
    held.push(json);
    heldChars += json.length;
    await giveWay();
  }
  if (held.length > 0) yield { json: `[${held.join(',')}]`, items: held.length };
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Unpacked, 20,000 items (60 MB) took two minutes to read, since the embedded server parses what it scans. */
export async function pack(json: string): Promise<Binary> {
  return new Binary(await compress(json));
}

async function unpack(packed: Binary): Promise<unknown> {
  return JSON.parse((await decompress(packed.value())).toString('utf8'));
}
