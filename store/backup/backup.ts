import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Db } from 'mongodb';
import { createAccountStore } from '../accounts/account-store.ts';
import { syncToDisk } from '../files/disk-files.ts';
import { MissingFileError, type FileKey, type FileStore } from '../files/file-store.ts';
import { orMissing } from '../files/or-missing.ts';
import * as format from './format.ts';

const BATCH = 200;

interface BackupOptions {
  /** Must not exist; it appears when the copy is complete. */
  readonly folder: string;
  readonly db: Db;
  readonly files: FileStore;
  /** Otherwise the files are only listed, since a bucket has backups of its own. */
  readonly copiesFiles: boolean;
  readonly print: (line: string) => void;
}

/** The service may continue to work. Damaged files are only listed, so that one bad sector does not end the copy. */
export async function backUp({ folder, db, files, copiesFiles, print }: BackupOptions): Promise<format.Manifest> {
  const target = resolve(folder);
  await mkdir(dirname(target), { recursive: true });
  if ((await lstat(target).catch(orMissing)) !== undefined) throw new Error(`${target} already exists`);
  const part = `${target}.part`;
  // An interrupted copy may have left this folder.
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { mode: 0o700 });
  const takenAt = new Date().toISOString();
  const collections: Record<string, format.Part> = {};
  for (const name of await collectionsOf(db)) {
    const copied = await format.writeLines(part, name, documentsOf(db, name));
    collections[name] = copied;
    print(`${name}: ${String(copied.count)}`);
  }
  const damaged: FileKey[] = [];
  const lines = 'records' in collections ? copyFiles(part, { files, copiesFiles, damaged }) : [];
  const copied = await format.writeLines(part, format.FILES_LIST, lines);
  print(`files: ${String(copied.count)}${copiesFiles ? '' : ', listed only'}`);
  for (const { recordId, name } of damaged) print(`damaged and left out: the file ${recordId}/${name}`);
  const manifest: format.Manifest = {
    ...{ format: 1, takenAt, collections, files: { ...copied, areCopied: copiesFiles } },
    ...(damaged.length > 0 && { damaged }),
  };
  await writeFile(join(part, format.MANIFEST), JSON.stringify(manifest, undefined, 2), { mode: 0o600, flush: true });
  await syncToDisk(part);
  await rename(part, target);
  await syncToDisk(dirname(target));
  return manifest;
}

async function collectionsOf(db: Db): Promise<readonly string[]> {
  const all = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = all
    .map(({ name }) => name)
    .filter((name) => !format.NOT_COPIED.includes(name) && !name.startsWith('system.'));
  const early = names.filter((name) => !format.RECORDS_AND_LATER.includes(name)).sort();
  return [...early, ...format.RECORDS_AND_LATER.filter((name) => names.includes(name))];
}

/** The documents are unsorted, because the embedded server would sort them in memory. */
async function* documentsOf(db: Db, name: string): AsyncGenerator<string> {
  // Without promotion, numbers keep their BSON types.
  const options = { batchSize: BATCH, promoteValues: false } as const;
  if (name === 'accounts') for await (const account of createAccountStore(db).documents()) yield format.lineOf(account);
  else for await (const document of db.collection(name).find({}, options)) yield format.lineOf(document);
}

async function* copyFiles(
  folder: string,
  { files, copiesFiles, damaged }: Pick<BackupOptions, 'files' | 'copiesFiles'> & { readonly damaged: FileKey[] },
): AsyncGenerator<string> {
  for await (const line of format.filesOfRecords(folder)) {
    const result = copiesFiles ? await copyFile(folder, files, line) : 'listed';
    if (result === 'damaged') damaged.push({ recordId: line.recordId, name: line.file.name });
    else if (result !== 'gone') yield JSON.stringify(line);
  }
}

/** @returns `gone` when the file was removed; `damaged` when its SHA-256 is not that of the published file */
async function copyFile(
  folder: string,
  files: FileStore,
  line: format.FileLine,
): Promise<'copied' | 'gone' | 'damaged'> {
  const { recordId, file } = line;
  const target = format.copyPath(folder, line);
  try {
    const stored = await files.open({ recordId, name: file.name });
    if (stored === undefined) return 'gone';
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if ((await format.writeHashed(target, await stored.read())) === file.sha256) return 'copied';
    await rm(target);
    return 'damaged';
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
    await rm(target, { force: true });
    return 'gone';
  }
}
