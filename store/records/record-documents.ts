import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Binary, type Collection, type Db } from 'mongodb';
import { LONG_PARTS, MissingContentsError } from '../../contract/kinds/contents.ts';
import type { StoredList } from '../../contract/download-record.ts';
import { ItemStream } from '../../contract/http/streams.ts';
import type { Piece } from './pieces.ts';
import { upsert } from '../mongo/upsert.ts';

/** Where a listing stands: what is stored, and where upstream goes on. */
export interface ListingState extends StoredList {
  /** Upstream's cursor after the last piece; absent when the list is complete. */
  readonly next?: string;
}

/** A document of the collection `contents`. */
export interface ContentsDocument {
  _id: string;
  /** The items of a piece, or facts, as gzipped JSON. */
  packed?: Binary;
  /** Of facts: their long parts, which are in pieces beside this document. */
  parts?: Readonly<Record<string, StoredList>>;
  state?: ListingState;
}

/** The documents by their ids. All writes may be repeated. */
export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(db: Db) {
  const contents: Collection<ContentsDocument> = db.collection('contents');
  const find = async (id: string): Promise<ContentsDocument | undefined> =>
    (await contents.findOne({ _id: id })) ?? undefined;
  const put = async (id: string, fields: Omit<ContentsDocument, '_id'>): Promise<void> => {
    // The whole document is replaced, so that no field of an earlier write survives.
    await upsert(() => contents.replaceOne({ _id: id }, fields, { upsert: true }));
  };
  async function* pages(id: string, name: string, pieces: number): AsyncGenerator<readonly unknown[]> {
    for (let number = 1; number <= pieces; number += 1) {
      const pieceId = pieceIdOf(id, name, number);
      // One at a time: the embedded server looks up a single `_id`, but scans the collection for several.
      const packed = (await find(pieceId))?.packed;
      // A list that lost a piece must not look complete.
      if (packed === undefined) throw new MissingContentsError(pieceId);
      yield (await unpack(packed)) as readonly unknown[];
    }
  }
  return {
    find,
    put,
    async remove(id: string): Promise<void> {
      await contents.deleteOne({ _id: id });
    },
    pages,
    /** The facts of a record, with a stream in place of each long part. */
    async facts(id: string): Promise<object | undefined> {
      const { packed, parts = {} } = (await find(id)) ?? {};
      if (packed === undefined) return undefined;
      const short = Object.entries((await unpack(packed)) as object).map(([name, value]: [string, unknown]) => {
        return [name, isLongPart(name) && Array.isArray(value) ? streamOf(value as unknown[]) : value] as const;
      });
      const long = Object.entries(parts).map(([name, { pieces, items }]) => {
        return [name, new ItemStream(() => pages(id, name, pieces), items)] as const;
      });
      return Object.fromEntries([...short, ...long]);
    },
    async putPart(id: string, name: string, pieces: AsyncIterable<Piece>): Promise<StoredList> {
      let number = 0;
      let items = 0;
      for await (const piece of pieces) {
        number += 1;
        items += piece.items;
        await put(pieceIdOf(id, name, number), { packed: await pack(piece.json) });
      }
      return { pieces: number, items };
    },
  };
}

export function pieceIdOf(id: string, name: string, number: number): string {
  return `${id}/${name}/${String(number)}`;
}

function isLongPart(name: string): boolean {
  return LONG_PARTS.some((part) => part === name);
}

function streamOf(items: readonly unknown[]): ItemStream<unknown> {
  return new ItemStream(async function* () {
    yield await Promise.resolve(items);
  }, items.length);
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * A list of 20,000 items is 60 MB of text that repeats itself. The embedded server parses what it scans: with pieces as
 * documents, such a list took two minutes to read, and a transcript of 150,000 lines nine seconds.
 */
export async function pack(json: string): Promise<Binary> {
  return new Binary(await compress(json));
}

export async function unpack(packed: Binary): Promise<unknown> {
  return JSON.parse((await decompress(packed.value())).toString('utf8'));
}
