import { lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Db } from 'mongodb';
import { createAccountStore } from '../accounts/account-store.ts';
import { MissingFileError, type FileKey, type FileStore } from '../files/file-store.ts';
import { orMissing } from '../records/or-missing.ts';
import {
  copyPath,
  FILES_LIST,
  filesOfRecords,
  lineOf,
  MANIFEST,
  NOT_KEPT,
  RECORDS_AND_LATER,
  writeHashed,
  writeLines,
  type FileLine,
  type Manifest,
  type Part,
} from './format.ts';

const BATCH = 200;

export interface BackupOrder {
  /** Must not be there; it appears when the copy is whole. */
  readonly folder: string;
  readonly db: Db;
  readonly files: FileStore;
  /** Without, the files are listed only: their store has copies of its own. */
  readonly copiesFiles: boolean;
  readonly tell: (line: string) => void;
}

/**
 * Copies a service that may go on working. What it had answered when the copy began is in it, with its files; of what came
 * later there is some or none. Files of records that are removed meanwhile are left out, and those that are damaged, which the
 * manifest names: one bad sector must not cost the copy of all the rest.
 */
export async function backUp({ folder, db, files, copiesFiles, tell }: BackupOrder): Promise<Manifest> {
  const target = resolve(folder);
  await mkdir(dirname(target), { recursive: true });
  if ((await lstat(target).catch(orMissing)) !== undefined) throw new Error(`${target} is there already`);
  const part = `${target}.part`;
  // What a copy that was cut off has left.
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { mode: 0o700 });
  const takenAt = new Date().toISOString();
  const collections: Record<string, Part> = {};
  for (const name of await collectionsOf(db)) {
    const copied = await writeLines(part, name, documentsOf(db, name));
    collections[name] = copied;
    tell(`${name}: ${String(copied.count)}`);
  }
  const damaged: FileKey[] = [];
  const listed = copies(part, 'records' in collections, { files, copiesFiles, damaged });
  const copied = await writeLines(part, FILES_LIST, listed);
  tell(`files: ${String(copied.count)}${copiesFiles ? '' : ', listed only'}`);
  for (const { recordId, name } of damaged) tell(`damaged and left out: the file ${recordId}/${name}`);
  const manifest: Manifest = {
    ...{ format: 1, takenAt, collections, files: { ...copied, areCopied: copiesFiles } },
    ...(damaged.length === 0 ? {} : { damaged }),
  };
  await writeFile(join(part, MANIFEST), JSON.stringify(manifest, undefined, 2), { mode: 0o600, flush: true });
  await sync(part);
  await rename(part, target);
  await sync(dirname(target));
  return manifest;
}

/** In the order in which they are copied. */
async function collectionsOf(db: Db): Promise<readonly string[]> {
  const all = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = all.map(({ name }) => name).filter((name) => !NOT_KEPT.includes(name) && !name.startsWith('system.'));
  const early = names.filter((name) => !RECORDS_AND_LATER.includes(name)).sort();
  return [...early, ...RECORDS_AND_LATER.filter((name) => names.includes(name))];
}

/** Not in an order, which the embedded server would make in memory. */
async function* documentsOf(db: Db, name: string): AsyncGenerator<string> {
  // Numbers keep their kinds.
  const options = { batchSize: BATCH, promoteValues: false } as const;
  if (name === 'accounts') for await (const account of createAccountStore(db).whole()) yield lineOf(account);
  else for await (const document of db.collection(name).find({}, options)) yield lineOf(document);
}

/** Goes through the records of the copy, and copies what they name. @param order.damaged takes what is not as it was published */
async function* copies(
  folder: string,
  hasRecords: boolean,
  { files, copiesFiles, damaged }: Pick<BackupOrder, 'files' | 'copiesFiles'> & { readonly damaged: FileKey[] },
): AsyncGenerator<string> {
  if (!hasRecords) return;
  for await (const told of filesOfRecords(folder)) {
    const fate = copiesFiles ? await copyFile(folder, files, told) : 'listed';
    if (fate === 'damaged') damaged.push({ recordId: told.recordId, name: told.file.name });
    else if (fate !== 'gone') yield JSON.stringify(told);
  }
}

/** @returns `gone` when the file is not kept any more; `damaged`: its SHA-256 is not that of what was published */
async function copyFile(folder: string, files: FileStore, told: FileLine): Promise<'copied' | 'gone' | 'damaged'> {
  const { recordId, file } = told;
  const target = copyPath(folder, told);
  try {
    const stored = await files.open({ recordId, name: file.name });
    if (stored === undefined) return 'gone';
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if ((await writeHashed(target, await stored.read())) === file.sha256) return 'copied';
    await rm(target);
    return 'damaged';
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
    await rm(target, { force: true });
    return 'gone';
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
