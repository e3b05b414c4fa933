import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collection, Db } from 'mongodb';
import { orMissing } from '../records/or-missing.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** Beside the folders of records: what is in it names the folder. */
const MARKER = '.folder-id';

/** The folder in which the files of a service lie. */
interface FolderDocument {
  _id: 'files_folder';
  folderId: string;
  /** Which host chose it. */
  host: string;
}

interface Here {
  readonly db: Db;
  /** Absolute path of the folder, which exists. */
  readonly root: string;
  readonly host: string;
}

/**
 * Makes sure that a worker publishes into the folder that the others use. The first one marks it. The host that marked it may
 * come with another one: its operator has moved or emptied the old one.
 *
 * @throws an error that tells what to do when another host uses another folder
 */
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
  // Another one was faster.
  if (now !== null && now.folderId !== folderId) throw otherFolder(here, now);
}

/** The same for who only reads the files, and marks nothing. @returns whether a folder is agreed on. @throws as above */
export async function checkFilesFolder(here: Here): Promise<boolean> {
  const agreed = await foldersOf(here.db).findOne({ _id: 'files_folder' });
  if (agreed === null) return false;
  if (agreed.host === here.host || (await markerIn(here.root)) === agreed.folderId) return true;
  throw otherFolder(here, agreed);
}

/**
 * Checks as above, and again until a folder is agreed on: an api may be there before the first worker.
 *
 * @param options.onOther is told when the others have come to use another folder
 * @throws as above, where that is known at once
 */
export async function followFilesFolder(
  here: Here,
  options: { readonly everyMs: number; readonly signal: AbortSignal; readonly onOther: (error: Error) => void },
): Promise<void> {
  const { everyMs, signal, onOther } = options;
  const look = async (): Promise<void> => {
    if (signal.aborted) return;
    try {
      if (await checkFilesFolder(here)) return;
    } catch (error) {
      if (error instanceof OtherFolderError) {
        onOther(error);
        return;
      }
      // The database is away.
    }
    lookLater();
  };
  const lookLater = (): void => void setTimeout(() => void look(), everyMs).unref();
  if (!(await checkFilesFolder(here))) lookLater();
}

class OtherFolderError extends Error {
  override readonly name = 'OtherFolderError';
}

const foldersOf = (db: Db): Collection<FolderDocument> => db.collection('engines');

async function markerIn(root: string): Promise<string | undefined> {
  return (await readFile(join(root, MARKER), 'utf8').catch(orMissing))?.trim();
}

/** @returns what the folder is marked with: whoever is first decides, and a reader sees all of it */
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
    `FILES_STORE=disk: ${root} on ${host} is not the folder that ${agreed.host} uses. Let all hosts share one folder, or set FILES_STORE=s3. If it is the same one, moved or emptied, say so: echo ${agreed.folderId} > ${join(root, MARKER)}`,
  );
}
