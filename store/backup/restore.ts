import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db, Document } from 'mongodb';
import { failureFor } from '../../contract/failures.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
import type { LedgerEntry } from '../../contract/http/account-schemas.ts';
import type { DeliveryState } from '../../contract/http/webhook-delivery.ts';
import { createAccountStore } from '../accounts/account-store.ts';
import { createDeliveryStore } from '../records/delivery-store.ts';
import type { FileStore } from '../files/file-store.ts';
import { finishRecord } from '../records/finish-record.ts';
import { createIndexes } from '../mongo/indexes.ts';
import { createRecordStore } from '../records/record-store.ts';
import { markRestore, refuseUnfinishedRestore, unmarkRestore } from './unfinished-restore.ts';
import { createWorkFolders } from '../files/work-folders.ts';
import { checkCopy, readManifest } from './check-copy.ts';
import * as format from './format.ts';

const BATCH = 100;
const BATCH_CHARS = 8 * 1024 * 1024;
/** If a record ended within this time before the copy, its charge may be missing in the copied ledger. */
const UNCAPTURED_MS = 3_600_000;
/** The error of a webhook attempt that was never made, because the restore abandoned the delivery. */
export const LOST_DELIVERY = 'restored';

interface RestoreOptions {
  readonly folder: string;
  readonly db: Db;
  readonly files: FileStore;
  /** Describes the file store, which an operator must empty when the restore is interrupted. */
  readonly filesLocation: string;
  /** A folder for temporary files. With files on disk, it must be on their file system. */
  readonly workDir: string;
  readonly print: (line: string) => void;
}

/** The copy has no workflows, so pending jobs fail. A mark in the database prevents other use until the end. */
export async function restore(options: RestoreOptions): Promise<void> {
  const { db, print } = options;
  // The folder itself may be a link, but none of its files.
  const folder = await realpath(options.folder);
  const manifest = await readManifest(folder);
  await refuseNonEmpty(options, manifest);
  await checkCopy(folder, manifest);
  // Checking a large copy takes long, so the store may have been used meanwhile.
  await refuseNonEmpty(options, manifest);
  const { takenAt } = manifest;
  await markRestore(db, { takenAt, ...(manifest.files.areCopied && { filesLocation: options.filesLocation }) });
  // Files come first, so that no record refers to a missing one.
  if (manifest.files.areCopied) await restoreFiles(folder, options);
  print(
    `files: ${String(manifest.files.count)}${manifest.files.areCopied ? '' : ', not copied: they are where they were'}`,
  );
  for (const [name, { count }] of Object.entries(manifest.collections)) {
    if (format.NOT_COPIED.includes(name)) continue;
    const inserted = await insertAll(db, name, format.readLines(folder, name));
    if (inserted !== count) throw new Error(`${name}: ${String(inserted)} of ${String(count)} were restored`);
    print(`${name}: ${String(count)}`);
  }
  const { damaged = [] } = manifest;
  if (damaged.length > 0) print(`files that were damaged, and are not in the copy: ${String(damaged.length)}`);
  await createIndexes(db);
  print(`jobs that were under way and have failed: ${String(await settle(db, folder, manifest))}`);
  print(`webhooks that were under way and are abandoned: ${String(await abandonDeliveries(db, folder, manifest))}`);
  await unmarkRestore(db);
}

async function refuseNonEmpty(
  { db, files, filesLocation }: RestoreOptions,
  { files: { areCopied } }: format.Manifest,
): Promise<void> {
  await refuseUnfinishedRestore(db);
  if (areCopied && (await isUsed(files))) throw new Error(`${filesLocation} is not empty; nothing was restored`);
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (format.NOT_COPIED.includes(name) || (await db.collection(name).findOne({})) === null) continue;
    throw new Error(`MONGODB_DATABASE: the database ${db.databaseName} is not empty (${name}); nothing was restored`);
  }
}

async function isUsed(files: FileStore): Promise<boolean> {
  const { entries, next } = await files.page();
  return entries.length > 0 || next !== undefined;
}

async function restoreFiles(folder: string, { files, workDir }: RestoreOptions): Promise<void> {
  const work = await createWorkFolders(workDir).open('restore');
  try {
    for await (const line of format.readLines(folder, format.FILES_LIST)) {
      const listed = format.fileOf(line);
      const { recordId, file } = listed;
      const staged = join(work.path, file.name);
      const handle = await format.openPlain(format.copyPath(folder, listed));
      // The file may have been replaced since it was checked.
      if ((await format.writeHashed(staged, handle.createReadStream())) !== file.sha256)
        throw new Error(`the file ${recordId}/${file.name} of the copy is damaged`);
      await files.publish(staged, { recordId, name: file.name }, new AbortController().signal);
      await rm(staged, { force: true });
    }
  } finally {
    await work.remove();
  }
}

async function insertAll(db: Db, name: string, lines: AsyncIterable<string>): Promise<number> {
  const collection = db.collection(name);
  let inserted = 0;
  let chars = 0;
  let batch: Document[] = [];
  const write = async (): Promise<void> => {
    if (batch.length > 0) inserted += (await collection.insertMany(batch)).insertedCount;
    batch = [];
    chars = 0;
  };
  for await (const line of lines) {
    batch.push(format.documentOf(line));
    chars += line.length;
    if (batch.length === BATCH || chars > BATCH_CHARS) await write();
  }
  await write();
  return inserted;
}

/** The collections were copied at different moments, so the records decide. @returns how many jobs failed */
async function settle(db: Db, folder: string, { takenAt, collections }: format.Manifest): Promise<number> {
  const records = createRecordStore(db);
  const accounts = createAccountStore(db);
  const ledger = db.collection<{ _id: string; keyId: string; amount: number }>('ledger');
  const sinceMs = Date.parse(takenAt) - UNCAPTURED_MS;
  let lost = 0;
  if ('records' in collections) {
    for await (const line of format.readLines(folder, 'records')) {
      const { _id: id, ...fields } = format.recordOf(line);
      if (fields.status === 'pending') {
        // The job may have ended after the records were copied and before the ledger was.
        if (fields.chargedTo !== undefined) await ledger.deleteOne({ _id: `${fields.chargedTo}/${id}` });
        await finishRecord(records, id, { status: 'failed', failure: failureFor('lostInRestore') });
        lost += 1;
      } else if (Date.parse(fields.finishedAt) >= sinceMs) {
        const record = await records.get(id);
        if (record !== undefined) await accounts.capture(record);
      }
    }
  }
  await settleAccounts(db, Date.parse(takenAt));
  return lost;
}

/** Stores a failed attempt, so that callers see the reason and may request a redelivery. @returns how many were abandoned */
async function abandonDeliveries(db: Db, folder: string, { collections }: format.Manifest): Promise<number> {
  if (!('deliveries' in collections)) return 0;
  const deliveries = createDeliveryStore(db);
  let abandoned = 0;
  for await (const line of format.readLines(folder, 'deliveries')) {
    const { _id: id, state } = format.documentOf(line) as { readonly _id: string; readonly state: DeliveryState };
    const delivery = state === 'pending' ? await deliveries.get(id) : undefined;
    if (delivery === undefined) continue;
    const { attempts, firstAttempt = 1 } = delivery;
    const number = (attempts.at(-1)?.number ?? 0) + 1;
    const startedAt = formatMicroseconds(Date.now() * 1000);
    const attempt = { number, startedAt, durationMs: 0, error: LOST_DELIVERY };
    await deliveries.recordAttempt(id, attempt, { state: 'abandoned', firstAttempt });
    abandoned += 1;
  }
  return abandoned;
}

/** Computes the credit of all accounts. No job is pending, so nothing is reserved. @param takenMs when the copy was begun */
async function settleAccounts(db: Db, takenMs: number): Promise<void> {
  const records = createRecordStore(db);
  const accounts = createAccountStore(db);
  const documents = db.collection<{ _id: string; granted: number }>('accounts');
  const all = await documents.find({}, { projection: { granted: 1 } }).toArray();
  for (const { _id: keyId } of all) {
    for (const { recordId } of await accounts.reservations(keyId)) {
      const record = await records.get(recordId);
      if (record !== undefined) await accounts.capture(record);
    }
  }
  const spentBy = new Map<string, number>();
  const ledger = db.collection<LedgerEntry & { _id: string }>('ledger');
  for await (const { _id, keyId, recordId, amount, bookedAt } of ledger.find({}, { batchSize: 1000 })) {
    // The job may have been accepted after the records were copied, and have ended before the ledger was.
    if (Date.parse(bookedAt) >= takenMs && (await records.get(recordId)) === undefined) {
      await ledger.deleteOne({ _id });
      continue;
    }
    spentBy.set(keyId, (spentBy.get(keyId) ?? 0) + amount);
  }
  for (const { _id: keyId, granted } of all) {
    const spent = spentBy.get(keyId) ?? 0;
    await documents.updateOne({ _id: keyId }, { $set: { spent, available: granted - spent, holds: {} } });
  }
}
