import type { Db } from 'mongodb';
import { LONG_PARTS, type KeptFacts } from '../../contract/kinds/contents.ts';
import { PIECE_MAX_CHARS, PIECE_MAX_ITEMS } from '../../contract/limits.ts';
import type { StoredList } from '../../contract/download-record.ts';
import { createDocuments, pack, pieceIdOf, unpack, type ListingState } from './record-documents.ts';
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
  return {
    facts: async <Facts extends object>(recordId: string) =>
      (await documents.facts(recordId)) as KeptFacts<Facts> | undefined,
    /** @returns undefined when that piece is not there */
    async piece<Item>({ recordId, name, number }: PieceName) {
      const document = await documents.find(pieceIdOf(recordId, name, number));
      return document?.packed === undefined ? undefined : ((await unpack(document.packed)) as readonly Item[]);
    },
    /** Removes the pieces from 1 to that number. */
    async removePieces({ recordId, name }: ListName, pieces: number): Promise<void> {
      for (let number = 1; number <= pieces; number += 1) await documents.remove(pieceIdOf(recordId, name, number));
    },
    pages: <Item>({ recordId, name, pieces }: ListName & { readonly pieces: number }) =>
      documents.pages(recordId, name, pieces) as AsyncIterable<readonly Item[]>,
    async putFacts(recordId: string, facts: object): Promise<void> {
      const long = LONG_PARTS.flatMap((name) => {
        const items: unknown = Object.entries(facts).find(([key]) => key === name)?.[1];
        return Array.isArray(items) ? [{ name, items: items as unknown[] }] : [];
      });
      const json = long.every(({ items }) => items.length <= PIECE_MAX_ITEMS) ? JSON.stringify(facts) : undefined;
      if (json !== undefined && (long.length === 0 || json.length <= PIECE_MAX_CHARS)) {
        await documents.put(recordId, { packed: await pack(json) });
        return;
      }
      const parts: Record<string, StoredList> = {};
      for (const { name, items } of long) parts[name] = await documents.putPart(recordId, name, piecesOf(items));
      const short = Object.entries(facts).filter(([key]) => !(key in parts));
      await documents.put(recordId, { packed: await pack(JSON.stringify(Object.fromEntries(short))), parts });
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
