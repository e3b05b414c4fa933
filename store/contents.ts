import type { Db } from 'mongodb';
import { LONG_PARTS, MissingContentsError, type KeptFacts } from '../contract/contents.ts';
import { PIECE_MAX_CHARS, PIECE_MAX_ITEMS } from '../contract/limits.ts';
import type { StoredList } from '../contract/records.ts';
import { createDocuments, pack, pieceIdOf, unpack, type ListingState } from './documents.ts';
import { largeDocuments } from './large-documents.ts';
import { piecesOf } from './pieces.ts';

/**
 * What jobs keep beside their records: facts, whose parts are in pieces where they are long, and lists in pieces. All writes may be
 * repeated; a piece is found by its `_id`, which holds the record, the list and the number of the piece.
 */
export type ContentsStore = ReturnType<typeof createContentsStore>;

interface ListName {
  readonly recordId: string;
  /** Of the list among those of the record. */
  readonly name: string;
}
type PieceName = ListName & { readonly number: number };

export function createContentsStore(db: Db) {
  const documents = createDocuments(db);
  const large = largeDocuments(documents);
  return {
    async facts<Facts extends object>(recordId: string) {
      const facts = (await documents.parted(recordId)) ?? (await large.factsOf(recordId));
      return facts as KeptFacts<Facts> | undefined;
    },
    /** @returns undefined when that piece is not there */
    async piece<Item>({ recordId, name, number }: PieceName) {
      const document = await documents.find(pieceIdOf(recordId, name, number));
      return document?.packed === undefined ? undefined : ((await unpack(document.packed)) as readonly Item[]);
    },
    /** Removes the pieces from 1 to that number. */
    async removePieces({ recordId, name }: ListName, pieces: number): Promise<void> {
      for (let number = 1; number <= pieces; number += 1) await documents.remove(pieceIdOf(recordId, name, number));
    },
    async *pages<Item>(list: ListName & { readonly pieces: number }) {
      for (let number = 1; number <= list.pieces; number += 1) {
        const id = pieceIdOf(list.recordId, list.name, number);
        // One by one: the embedded server looks up a single `_id`, and reads everything for several.
        const packed = (await documents.find(id))?.packed;
        // A list that lost a piece must not look complete.
        if (packed === undefined) throw new MissingContentsError(id);
        yield* large.pagesOf(id, packed) as AsyncIterable<readonly Item[]>;
      }
    },
    async putFacts(recordId: string, facts: object): Promise<void> {
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
    /** Keeps a whole list in pieces that are small enough to be read one by one. */
    putList: ({ recordId, name }: ListName, items: AsyncIterable<object>) =>
      documents.putPart(recordId, name, piecesOf(items)),
    async putPiece({ recordId, name, number }: PieceName, items: readonly object[]): Promise<void> {
      await documents.put(pieceIdOf(recordId, name, number), { packed: await pack(JSON.stringify(items)) });
    },
    /** Notes how far a listing has come; call it after the piece is written. */
    putState: ({ recordId, name }: ListName, state: ListingState) => documents.put(`${recordId}/${name}`, { state }),
    async state({ recordId, name }: ListName): Promise<ListingState | undefined> {
      return (await documents.find(`${recordId}/${name}`))?.state;
    },
  };
}
