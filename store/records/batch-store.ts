import type { Collection, Db, UpdateFilter } from 'mongodb';
import type { BatchItem } from '../../contract/batches/item-order.ts';
import { NO_TOTALS, type ItemProgress, type StoredBatch } from '../../contract/batches/batch-state.ts';
import { BATCH_PIECE_ITEMS } from '../../contract/request-limits.ts';
import { optional } from '../../runtime/optional.ts';
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

/** An item with its progress. Items are read and written by piece, because the embedded server finds one `_id` only. */
export interface PieceItem extends BatchItem {
  /** Its number in the piece, counted from 0. */
  readonly index: number;
  progress?: ItemProgress;
  /** The IDs of the records with which its jobs were or may have been started. */
  readonly tries: string[];
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
  const find = async (name: PieceName): Promise<PieceDocument> => {
    const document = await pieces.findOne({ _id: pieceIdOf(name) });
    if (document === null) throw new Error(`piece ${pieceIdOf(name)} is missing`);
    return document;
  };
  const write = async (
    name: PieceName,
    operator: '$set' | '$unset',
    fields: readonly (readonly [string, unknown])[],
  ): Promise<void> => {
    if (fields.length === 0) return;
    const change = { [operator]: Object.fromEntries(fields) } as UpdateFilter<PieceDocument>;
    await pieces.updateOne({ _id: pieceIdOf(name) }, change);
  };
  return {
    ...batches,
    async putPiece(name: PieceName, items: readonly BatchItem[]): Promise<void> {
      await upsert(() => pieces.replaceOne({ _id: pieceIdOf(name) }, { items }, { upsert: true }));
    },
    async piece(name: PieceName): Promise<readonly PieceItem[]> {
      const { items, progress = {}, tries = {} } = await find(name);
      return items.map((item, index) => ({
        ...{ ...item, index, tries: Object.keys(tries[index] ?? {}) },
        ...optional('progress', progress[index]),
      }));
    },
    noteTries: (name: PieceName, tries: readonly (readonly [index: number, recordId: string])[]) =>
      write(
        name,
        '$set',
        tries.map(([index, recordId]) => [`tries.${String(index)}.${recordId}`, true]),
      ),
    noteProgress: (name: PieceName, progress: readonly (readonly [index: number, progress: ItemProgress])[]) =>
      write(
        name,
        '$set',
        progress.map(([index, one]) => [`progress.${String(index)}`, one]),
      ),
    /** Lets the failed items of a piece wait again. */
    async resetFailed(name: PieceName): Promise<void> {
      const { progress = {} } = await find(name);
      const failed = Object.keys(progress).filter((index) => progress[index]?.state === 'failed');
      await write(
        name,
        '$unset',
        failed.flatMap((index) => [
          [`progress.${index}`, ''],
          [`tries.${index}`, ''],
        ]),
      );
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
