import type { Db } from 'mongodb';
import {
  LONG_PARTS,
  MissingContentsError,
  type ContentsReader,
  type FactsByType,
  type ItemsByList,
  type KeptFacts,
} from '../contract/contents.ts';
import { PIECE_MAX_CHARS, PIECE_MAX_ITEMS } from '../contract/limits.ts';
import type { StoredList } from '../contract/records.ts';
import { createDocuments, pack, pieceIdOf, unpack, type ListingState } from './documents.ts';
import { largeDocuments } from './large-documents.ts';
import { piecesOf } from './pieces.ts';

/**
 * What jobs keep beside their records: facts, whose parts are in pieces where they are long, and lists in pieces. All writes may be
 * repeated; a piece is found by its `_id`, which holds the record, the list and the number of the piece.
 */
export interface ContentsStore extends ContentsReader {
  putFacts(recordId: string, facts: FactsByType[keyof FactsByType]): Promise<void>;
  /** Keeps a whole list in pieces that are small enough to be read one by one. */
  putList<List extends keyof ItemsByList>(
    list: { readonly recordId: string; readonly name: List },
    items: AsyncIterable<ItemsByList[List]>,
  ): Promise<StoredList>;
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

export function createContentsStore(db: Db): ContentsStore {
  const documents = createDocuments(db);
  const large = largeDocuments(documents);
  return {
    async facts<Type extends keyof FactsByType>(recordId: string) {
      const facts = (await documents.parted(recordId)) ?? (await large.factsOf(recordId));
      return facts as KeptFacts<FactsByType[Type]> | undefined;
    },
    async piece<List extends keyof ItemsByList>(piece: { recordId: string; name: List; number: number }) {
      const document = await documents.find(pieceIdOf(piece.recordId, piece.name, piece.number));
      return document?.packed === undefined
        ? undefined
        : ((await unpack(document.packed)) as readonly ItemsByList[List][]);
    },
    async removePieces({ recordId, name }, pieces) {
      for (let number = 1; number <= pieces; number += 1) await documents.remove(pieceIdOf(recordId, name, number));
    },
    async *pages<List extends keyof ItemsByList>(list: { recordId: string; name: List; pieces: number }) {
      for (let number = 1; number <= list.pieces; number += 1) {
        const id = pieceIdOf(list.recordId, list.name, number);
        // One by one: the embedded server looks up a single `_id`, and reads everything for several.
        const packed = (await documents.find(id))?.packed;
        // A list that lost a piece must not look complete.
        if (packed === undefined) throw new MissingContentsError(id);
        yield* large.pagesOf(id, packed) as AsyncIterable<readonly ItemsByList[List][]>;
      }
    },
    async putFacts(recordId, facts) {
      const long = LONG_PARTS.flatMap((name) => {
        const items: unknown = Object.entries(facts).find(([key]) => key === name)?.[1];
        return Array.isArray(items) ? [{ name, items: items as unknown[] }] : [];
      });
      const json = long.every(({ items }) => items.length <= PIECE_MAX_ITEMS) ? JSON.stringify(facts) : undefined;
      if (json !== undefined && (long.length === 0 || json.length <= PIECE_MAX_CHARS)) {
        // As earlier versions read them, which may still run.
        await documents.put(recordId, { packed: await pack(json) });
        await documents.removeParted(recordId);
        return;
      }
      const parts: Record<string, StoredList> = {};
      for (const { name, items } of long) parts[name] = await documents.putPart(recordId, name, piecesOf(items));
      const short = Object.entries(facts).filter(([key]) => !(key in parts));
      await documents.putParted(recordId, Object.fromEntries(short), parts);
    },
    putList: ({ recordId, name }, items) => documents.putPart(recordId, name, piecesOf(items)),
    async putPiece({ recordId, name, number }, items) {
      await documents.put(pieceIdOf(recordId, name, number), { packed: await pack(JSON.stringify(items)) });
    },
    putState: ({ recordId, name }, state) => documents.put(`${recordId}/${name}`, { state }),
    async state({ recordId, name }) {
      return (await documents.find(`${recordId}/${name}`))?.state;
    },
  };
}
