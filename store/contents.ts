import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Binary, type Collection, type Db } from 'mongodb';
import {
  MissingContentsError,
  type ContentsReader,
  type FactsByType,
  type ItemsByList,
  type Weigh,
} from '../contract/contents.ts';
import type { StoredList } from '../contract/records.ts';
import { createTurns } from './turns.ts';
import { upsert } from './upsert.ts';

/** Where a listing stands: what is stored, and where upstream goes on. */
export interface ListingState extends StoredList {
  /** Upstream's cursor after the last piece; absent when the list is complete. */
  readonly next?: string;
}

/**
 * What jobs keep beside their records: facts in one document, lists in pieces. All writes may be repeated; a piece is
 * found by its `_id`, which holds the record, the list and the number of the piece.
 */
export interface ContentsStore extends ContentsReader {
  putFacts(recordId: string, facts: FactsByType[keyof FactsByType]): Promise<void>;
  putPiece<List extends keyof ItemsByList>(
    piece: { readonly recordId: string; readonly name: List; readonly number: number },
    items: readonly ItemsByList[List][],
  ): Promise<void>;
  /** @returns undefined when that piece is not there */
  piece<List extends keyof ItemsByList>(piece: {
    readonly recordId: string;
    readonly name: List;
    readonly number: number;
  }): Promise<readonly ItemsByList[List][] | undefined>;
  /** Removes the pieces from 1 to that number. */
  removePieces(list: { readonly recordId: string; readonly name: keyof ItemsByList }, pieces: number): Promise<void>;
  /** Notes how far a listing has come; call it after the piece is written. */
  putState(list: { recordId: string; name: keyof ItemsByList }, state: ListingState): Promise<void>;
  state(list: { recordId: string; name: keyof ItemsByList }): Promise<ListingState | undefined>;
}

interface ContentsDocument {
  _id: string;
  /** The items of a piece, or facts, as gzipped JSON. */
  packed?: Binary;
  state?: ListingState;
}

/** What is not in pieces may be large: 15 MB of a transcript are 60 MB while they are unpacked. */
const FACTS_AT_ONCE = 2;
const FACTS_MAX_WAIT_MS = 30_000;

export function createContentsStore(db: Db): ContentsStore {
  const contents: Collection<ContentsDocument> = db.collection('contents');
  const put = async (id: string, fields: Omit<ContentsDocument, '_id'>): Promise<void> => {
    // A whole document each time: a field that is gone must not survive in an older version.
    await upsert(() => contents.replaceOne({ _id: id }, fields, { upsert: true }));
  };
  const turns = createTurns(FACTS_AT_ONCE, FACTS_MAX_WAIT_MS);
  const pieceId = (recordId: string, name: string, number: number): string => `${recordId}/${name}/${String(number)}`;
  return {
    async facts<Type extends keyof FactsByType>(recordId: string, weigh?: Weigh) {
      return turns(async () => {
        const document = await contents.findOne({ _id: recordId });
        return document?.packed === undefined
          ? undefined
          : ((await unpack(document.packed, weigh)) as FactsByType[Type]);
      });
    },
    async piece<List extends keyof ItemsByList>(piece: { recordId: string; name: List; number: number }) {
      const document = await contents.findOne({ _id: pieceId(piece.recordId, piece.name, piece.number) });
      return document?.packed === undefined
        ? undefined
        : ((await unpack(document.packed)) as readonly ItemsByList[List][]);
    },
    async removePieces({ recordId, name }, pieces) {
      for (let number = 1; number <= pieces; number += 1) {
        await contents.deleteOne({ _id: pieceId(recordId, name, number) });
      }
    },
    async *pages<List extends keyof ItemsByList>(
      list: { recordId: string; name: List; pieces: number },
      weigh?: Weigh,
    ) {
      for (let number = 1; number <= list.pieces; number += 1) {
        const id = pieceId(list.recordId, list.name, number);
        // One by one: the embedded server looks up a single `_id`, and reads everything for several.
        const document = await contents.findOne({ _id: id });
        // A list that lost a piece must not look complete.
        if (document?.packed === undefined) throw new MissingContentsError(id);
        yield (await unpack(document.packed, weigh)) as readonly ItemsByList[List][];
      }
    },
    async putFacts(recordId, facts) {
      await put(recordId, { packed: await pack(facts) });
    },
    async putPiece({ recordId, name, number }, items) {
      await put(pieceId(recordId, name, number), { packed: await pack(items) });
    },
    putState: ({ recordId, name }, state) => put(`${recordId}/${name}`, { state }),
    async state({ recordId, name }) {
      return (await contents.findOne({ _id: `${recordId}/${name}` }))?.state;
    },
  };
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * A list of 20,000 items is 60 MB of text that repeats itself. The embedded server parses what it scans: with pieces as
 * documents, such a list took two minutes to read, and a transcript of 150,000 lines nine seconds.
 */
async function pack(contents: unknown): Promise<Binary> {
  return new Binary(await compress(JSON.stringify(contents)));
}

async function unpack(packed: Binary, weigh?: Weigh): Promise<unknown> {
  const bytes = packed.value();
  // A gzip of one part ends with the size of what is in it (RFC 1952, section 2.3.1).
  weigh?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUInt32LE(bytes.byteLength - 4));
  return JSON.parse((await decompress(bytes)).toString('utf8'));
}
