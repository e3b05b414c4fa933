import { createHash } from 'node:crypto';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as format from './format.ts';

const MAX_MANIFEST_BYTES = 64 * 1024 ** 2;

export async function readManifest(folder: string): Promise<format.Manifest> {
  const path = join(folder, format.MANIFEST);
  const handle = await format.openPlain(path);
  try {
    if ((await handle.stat()).size > MAX_MANIFEST_BYTES) throw new Error('it is too large');
    return format.manifestSchema.parse(JSON.parse(await handle.readFile('utf8')));
  } catch (cause) {
    throw new Error(`${path} is damaged; nothing was restored`, { cause });
  } finally {
    await handle.close();
  }
}

/** The whole copy is checked before any of it is used, since it may be altered. @throws Error naming the damaged file */
export async function checkCopy(folder: string, { collections, files }: format.Manifest): Promise<void> {
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) continue;
    throw new Error(`${join(entry.parentPath, entry.name)} is not a regular file; nothing was restored`);
  }
  const parts = [...Object.entries(collections), [format.FILES_LIST, files] as const];
  for (const [name, { bytes, sha256 }] of parts)
    await checkSum(format.pathIn(folder, name), { sizeBytes: bytes, sha256 });
  for (const [name, { count }] of Object.entries(collections)) await checkDocuments(folder, name, count);
  await checkFiles(folder, 'records' in collections, files);
}

async function checkSum(
  path: string,
  { sizeBytes, sha256 }: { readonly sizeBytes: number; readonly sha256: string },
): Promise<void> {
  const handle = await format.openPlain(path);
  try {
    const { size } = await handle.stat();
    const hash = createHash('sha256');
    // A file of another length, which may be huge, is not read.
    if (size === sizeBytes) await pipeline(handle.createReadStream({ autoClose: false }), hash);
    if (size !== sizeBytes || hash.digest('hex') !== sha256)
      throw new Error(`${path} is damaged; nothing was restored`);
  } finally {
    await handle.close();
  }
}

async function checkDocuments(folder: string, name: string, count: number): Promise<void> {
  let found = 0;
  for await (const line of format.readLines(folder, name)) {
    found += 1;
    if (documentIn(line)?.['_id'] === undefined)
      throw new Error(`${format.pathIn(folder, name)}: line ${String(found)} is not a document; nothing was restored`);
  }
  if (found === count) return;
  throw new Error(
    `${format.pathIn(folder, name)} has ${String(found)} documents and not ${String(count)}; nothing was restored`,
  );
}

function documentIn(line: string) {
  try {
    return format.documentOf(line);
  } catch {
    return undefined;
  }
}

/** Checks that the list has files of the records, once and in their order, and that their bytes are unaltered. */
async function checkFiles(
  folder: string,
  hasRecords: boolean,
  { areCopied, count }: format.Manifest['files'],
): Promise<void> {
  const listed = format.readLines(folder, format.FILES_LIST);
  try {
    let line = await listed.next();
    let found = 0;
    if (hasRecords) {
      for await (const named of format.filesOfRecords(folder)) {
        if (line.done === true || line.value !== JSON.stringify(named)) continue;
        if (areCopied) await checkSum(format.copyPath(folder, named), named.file);
        found += 1;
        line = await listed.next();
      }
    }
    if (line.done === true && found === count) return;
  } finally {
    await listed.return(undefined);
  }
  throw new Error(
    `${format.pathIn(folder, format.FILES_LIST)} is not the list of the files that the records name; nothing was restored`,
  );
}
