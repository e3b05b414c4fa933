import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collection, Db } from 'mongodb';
import { watchFor } from '../../runtime/subprocess/folder-watch.ts';
import { orMissing } from './or-missing.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** A file beside the folders of records, whose contents identify the files folder. */
const MARKER = '.folder-id';

interface FolderDocument {
  _id: 'files_folder';
  folderId: string;
  host: string;
}

interface Here {
  readonly db: Db;
  /** Absolute path of the folder, which exists. */
  readonly root: string;
  readonly host: string;
}

/** The host that marked the folder may use another one later, because its operator may have moved the old one. */
export async function joinFilesFolder(here: Here): Promise<void> {
  const { db, root, host } = here;
  const folders = foldersOf(db);
  const agreed = await folders.findOne({ _id: 'files_folder' });
  const found = await markerIn(root);
  if (agreed !== null && found === agreed.folderId) return;
  if (agreed !== null && agreed.host !== host) throw otherFolder(here, agreed);
  const folderId = found ?? (await mark(root));
  if (agreed === null) await upsertOne(folders, 'files_folder', { $setOnInsert: { folderId, host } });
  else await folders.updateOne({ _id: 'files_folder', folderId: agreed.folderId }, { $set: { folderId } });
  const now = await folders.findOne({ _id: 'files_folder' });
  // Another worker has registered its folder first.
  if (now !== null && now.folderId !== folderId) throw otherFolder(here, now);
}

export async function checkFilesFolder(here: Here): Promise<boolean> {
  const agreed = await foldersOf(here.db).findOne({ _id: 'files_folder' });
  if (agreed === null) return false;
  if (agreed.host === here.host || (await markerIn(here.root)) === agreed.folderId) return true;
  throw otherFolder(here, agreed);
}

/** Repeats the check until a worker has registered a folder, since the api may start first. */
export async function followFilesFolder(
  here: Here,
  options: { readonly everyMs: number; readonly signal: AbortSignal; readonly onOther: (error: Error) => void },
): Promise<void> {
  const { everyMs, signal, onOther } = options;
  if (signal.aborted || (await checkFilesFolder(here))) return;
  const stop = watchFor(everyMs, () =>
    checkFilesFolder(here).then(
      (isAgreed) => (isAgreed ? () => undefined : undefined),
      // Any other error means that the database does not respond.
      (error: unknown) => (error instanceof OtherFolderError ? () => onOther(error) : undefined),
    ),
  );
  signal.addEventListener('abort', stop);
}

class OtherFolderError extends Error {
  override readonly name = 'OtherFolderError';
}

const foldersOf = (db: Db): Collection<FolderDocument> => db.collection('engines');

async function markerIn(root: string): Promise<string | undefined> {
  return (await readFile(join(root, MARKER), 'utf8').catch(orMissing))?.trim();
}

async function mark(root: string): Promise<string> {
  const path = join(root, MARKER);
  const staging = `${path}.${randomUUID()}`;
  await writeFile(staging, `${randomUUID()}\n`);
  try {
    await link(staging, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(staging);
  }
  return (await markerIn(root)) ?? '';
}

function otherFolder({ root, host }: Here, agreed: FolderDocument): Error {
  return new OtherFolderError(
    `FILES_STORE=disk: ${root} on ${host} is not the folder that ${agreed.host} uses. Let all hosts share one folder, or set FILES_STORE=s3. If it is the same folder and was moved or emptied, mark it: echo ${agreed.folderId} > ${join(root, MARKER)}`,
  );
}
