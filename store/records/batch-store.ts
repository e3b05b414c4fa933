import type { Collection, Db, UpdateFilter } from 'mongodb';
import type { BatchItem } from '../../contract/batches/item-order.ts';
import { NO_TOTALS, type ItemProgress, type StoredBatch } from '../../contract/batches/batch-state.ts';
import { BATCH_PIECE_ITEMS } from '../../contract/request-limits.ts';
import { upsert } from '../mongo/upsert.ts';
import { createOwnedDocuments } from './owned-documents.ts';

interface PieceDocument {
  /** The ID of the batch and the number of the piece. */
  _id: string;
  items: readonly BatchItem[];
  /** By the index of the item, so that each is one field that is written again with the same value. */
  progress?: Readonly<Record<string, ItemProgress>>;
  /** The IDs of the records with which jobs of an item were or may have been started. */
  tries?: Readonly<Record<string, Readonly<Record<string, true>>>>;
}

/** Some items of a batch. Items are read and written by piece, because the embedded server finds one `_id` only. */
export interface BatchPiece {
  readonly items: readonly BatchItem[];
  readonly progressOf: (index: number) => ItemProgress | undefined;
  readonly triesOf: (index: number) => readonly string[];
}

interface PieceName {
  readonly batchId: string;
  /** Counted from 1. */
  readonly number: number;
}

/** All writes may be repeated. */
export type BatchStore = ReturnType<typeof createBatchStore>;

export function createBatchStore(db: Db) {
  const batches = createOwnedDocuments<StoredBatch>(db, 'batches');
  const pieces: Collection<PieceDocument> = db.collection('batch_pieces');
  const set = async (name: PieceName, fields: readonly (readonly [string, unknown])[]): Promise<void> => {
    if (fields.length === 0) return;
    const change = { $set: Object.fromEntries(fields) } as UpdateFilter<PieceDocument>;
    await pieces.updateOne({ _id: pieceIdOf(name) }, change);
  };
  return {
    ...batches,
    async putPiece(name: PieceName, items: readonly BatchItem[]): Promise<void> {
      await upsert(() => pieces.replaceOne({ _id: pieceIdOf(name) }, { items }, { upsert: true }));
    },
    async piece(name: PieceName): Promise<BatchPiece> {
      const document = await pieces.findOne({ _id: pieceIdOf(name) });
      if (document === null) throw new Error(`piece ${pieceIdOf(name)} is missing`);
      const { items, progress = {}, tries = {} } = document;
      return {
        items,
        progressOf: (index) => progress[String(index)],
        triesOf: (index) => Object.keys(tries[String(index)] ?? {}),
      };
    },
    noteTries: (name: PieceName, tries: readonly (readonly [index: number, recordId: string])[]) =>
      set(
        name,
        tries.map(([index, recordId]) => [`tries.${String(index)}.${recordId}`, true]),
      ),
    noteProgress: (name: PieceName, progress: readonly (readonly [index: number, progress: ItemProgress])[]) =>
      set(
        name,
        progress.map(([index, one]) => [`progress.${String(index)}`, one]),
      ),
    async resetItems(name: PieceName, indexes: readonly number[]): Promise<void> {
      if (indexes.length === 0) return;
      const fields = indexes.flatMap((index) => [`progress.${String(index)}`, `tries.${String(index)}`]);
      const change = { $unset: Object.fromEntries(fields.map((field) => [field, ''])) };
      await pieces.updateOne({ _id: pieceIdOf(name) }, change as UpdateFilter<PieceDocument>);
    },
    /** Stores the items of a batch, and then with further fields that they are all there. */
    async fill(id: string, items: readonly BatchItem[], fields: Pick<StoredBatch, 'source'> = {}): Promise<void> {
      const piecePrices: number[] = [];
      for (let start = 0; start < items.length; start += BATCH_PIECE_ITEMS) {
        const piece = items.slice(start, start + BATCH_PIECE_ITEMS);
        piecePrices.push(piece.reduce((sum, { price }) => sum + price, 0));
        await this.putPiece({ batchId: id, number: piecePrices.length }, piece);
      }
      const open = piecePrices.reduce((sum, price) => sum + price, 0);
      const counts = { ...NO_TOTALS.counts, waiting: items.length };
      const sums = { items: items.length, piecePrices, counts, open };
      await batches.change(id, { ...fields, ...sums });
    },
  };
}

function pieceIdOf({ batchId, number }: PieceName): string {
  return `${batchId}/${String(number)}`;
}
