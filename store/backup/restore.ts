import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db, Document } from 'mongodb';
import { failureFor } from '../../contract/failures.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
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
import {
  copyPath,
  documentOf,
  fileOf,
  FILES_LIST,
  NOT_KEPT,
  openPlain,
  readLines,
  recordOf,
  writeHashed,
  type Manifest,
} from './format.ts';

const BATCH = 100;
const BATCH_CHARS = 8 * 1024 * 1024;
/** A record that ended that shortly before the copy may not have been booked when the ledger was copied. */
const UNBOOKED_MS = 3_600_000;
/** Stands in the log of a webhook where other attempts have what kept the receiver from answering: nothing was sent. */
export const LOST_DELIVERY = 'restored';

export interface RestoreOrder {
  readonly folder: string;
  readonly db: Db;
  readonly files: FileStore;
  /** The file store in words, such as a folder: what an operator empties when the restore is cut off. */
  readonly filesPlace: string;
  /** On the file system of the files, where they are on disk; copies pass through it. */
  readonly workDir: string;
  readonly tell: (line: string) => void;
}

/**
 * Puts a copy into an empty database and file store. Jobs that were under way fail with the reason, and webhooks are abandoned:
 * their workflows are not there.
 *
 * From the first write to the last a mark stands in the database, with which nothing else works on it. It stays when the
 * restore is cut off or fails.
 *
 * @throws an error that says what is wrong
 */
export async function restore(order: RestoreOrder): Promise<void> {
  const { db, tell } = order;
  // The folder itself may be named by a link, what is in it may not.
  const folder = await realpath(order.folder);
  const manifest = await readManifest(folder);
  await refuseNonEmpty(order, manifest);
  await checkCopy(folder, manifest);
  // Again, since checking a large copy takes long.
  await refuseNonEmpty(order, manifest);
  const { takenAt } = manifest;
  await markRestore(db, { takenAt, ...(manifest.files.areCopied && { filesPlace: order.filesPlace }) });
  // First: a record must not promise what is not there.
  if (manifest.files.areCopied) await restoreFiles(folder, order);
  tell(
    `files: ${String(manifest.files.count)}${manifest.files.areCopied ? '' : ', not copied: they are where they were'}`,
  );
  for (const [name, { count }] of Object.entries(manifest.collections)) {
    // Older releases copied what they did not know.
    if (NOT_KEPT.includes(name)) continue;
    const inserted = await insertAll(db, name, readLines(folder, name));
    if (inserted !== count) throw new Error(`${name}: ${String(inserted)} of ${String(count)} were restored`);
    tell(`${name}: ${String(count)}`);
  }
  const { damaged = [] } = manifest;
  if (damaged.length > 0) tell(`files that were damaged, and are not in the copy: ${String(damaged.length)}`);
  await createIndexes(db);
  tell(`jobs that were under way and have failed: ${String(await settle(db, folder, manifest))}`);
  tell(`webhooks that were under way and are abandoned: ${String(await abandonDeliveries(db, folder, manifest))}`);
  await unmarkRestore(db);
}

async function refuseNonEmpty(
  { db, files, filesPlace }: Pick<RestoreOrder, 'db' | 'files' | 'filesPlace'>,
  { files: { areCopied } }: Manifest,
): Promise<void> {
  await refuseUnfinishedRestore(db);
  if (areCopied && (await isUsed(files))) throw new Error(`${filesPlace} is not empty; nothing was restored`);
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (NOT_KEPT.includes(name) || (await db.collection(name).findOne({})) === null) continue;
    throw new Error(`MONGODB_DATABASE: the database ${db.databaseName} is not empty (${name}); nothing was restored`);
  }
}

async function isUsed(files: FileStore): Promise<boolean> {
  const { entries, next } = await files.page();
  return entries.length > 0 || next !== undefined;
}

async function restoreFiles(
  folder: string,
  { files, workDir }: Pick<RestoreOrder, 'files' | 'workDir'>,
): Promise<void> {
  const work = await createWorkFolders(workDir).open('restore');
  try {
    for await (const line of readLines(folder, FILES_LIST)) {
      const told = fileOf(line);
      const { recordId, file } = told;
      const staged = join(work.path, file.name);
      const handle = await openPlain(copyPath(folder, told));
      // It was checked before, and may have been replaced since.
      if ((await writeHashed(staged, handle.createReadStream())) !== file.sha256)
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
  let held: Document[] = [];
  const write = async (): Promise<void> => {
    if (held.length > 0) inserted += (await collection.insertMany(held)).insertedCount;
    held = [];
    chars = 0;
  };
  for await (const line of lines) {
    held.push(documentOf(line));
    chars += line.length;
    if (held.length === BATCH || chars > BATCH_CHARS) await write();
  }
  await write();
  return inserted;
}

/**
 * The parts of the copy are of different moments. The records say what happened: jobs that had not ended fail, what they and
 * the ended ones cost is booked, and accounts are worked out anew.
 *
 * @returns how many jobs failed
 */
async function settle(db: Db, folder: string, { takenAt, collections }: Manifest): Promise<number> {
  const records = createRecordStore(db);
  const accounts = createAccountStore(db);
  const booked = db.collection<{ _id: string; keyId: string; amount: number }>('ledger');
  const sinceMs = Date.parse(takenAt) - UNBOOKED_MS;
  let lost = 0;
  if ('records' in collections) {
    for await (const line of readLines(folder, 'records')) {
      const { _id: id, ...fields } = recordOf(line);
      if (fields.status === 'pending') {
        // It ended after the records were copied, and before the ledger was.
        if (fields.chargedTo !== undefined) await booked.deleteOne({ _id: `${fields.chargedTo}/${id}` });
        await finishRecord(records, id, { status: 'failed', failure: failureFor('lostInRestore') });
        lost += 1;
      } else if (Date.parse(fields.finishedAt) >= sinceMs) {
        const record = await records.get(id);
        if (record !== undefined) await accounts.captureHold(record);
      }
    }
  }
  await settleAccounts(db);
  return lost;
}

/** As if an attempt had failed, by which callers see the reason and may have it delivered again. @returns how many */
async function abandonDeliveries(db: Db, folder: string, { collections }: Manifest): Promise<number> {
  if (!('deliveries' in collections)) return 0;
  const deliveries = createDeliveryStore(db);
  let abandoned = 0;
  for await (const line of readLines(folder, 'deliveries')) {
    const { _id: id, state } = documentOf(line) as { readonly _id: string; readonly state: DeliveryState };
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

async function settleAccounts(db: Db): Promise<void> {
  const records = createRecordStore(db);
  const accounts = createAccountStore(db);
  const documents = db.collection<{ _id: string; granted: number }>('accounts');
  const keyIds = (await documents.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  for (const keyId of keyIds) {
    for (const { recordId } of await accounts.holds(keyId)) {
      const record = await records.get(recordId);
      if (record !== undefined) await accounts.captureHold(record);
    }
  }
  const spentBy = new Map<string, number>();
  const ledger = db.collection<{ _id: string; keyId: string; amount: number }>('ledger');
  for await (const { keyId, amount } of ledger.find({}, { batchSize: 1000 })) {
    spentBy.set(keyId, (spentBy.get(keyId) ?? 0) + amount);
  }
  for (const keyId of keyIds) {
    const { granted = 0 } = (await documents.findOne({ _id: keyId })) ?? {};
    const spent = spentBy.get(keyId) ?? 0;
    const change = { $set: { spent, available: granted - spent, holds: {} }, $unset: { pockets: '' as const } };
    await documents.updateOne({ _id: keyId }, change);
  }
  // No job is under way, so nothing is set aside.
}
