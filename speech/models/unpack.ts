import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import { megabytes } from '../../runtime/terminal-progress.ts';

const MAX_ENTRIES = 10_000;
/** The disk space that must stay free. */
const RESERVE_BYTES = 200_000_000;
/** Test recordings, which are not installed. */
const EXCLUDED = new Set(['test_wavs']);

interface Entry extends AsyncIterable<Uint8Array> {
  readonly header: Header;
  readonly resume: () => unknown;
}

/**
 * Unpacks an untrusted .tar.bz2 into an empty folder, without its top-level folder. An archive that contains a link, a
 * device or a path outside the folder is rejected.
 *
 * @param onProgress called with the completed share, 0 to 1
 * @throws Error with a sentence for the operator; the files that were unpacked before it stay in the folder
 */
export async function unpack(
  archive: string,
  folder: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
): Promise<void> {
  const { size } = await stat(archive);
  let read = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, next): void {
      read += chunk.length;
      onProgress(size === 0 ? 1 : read / size);
      next(null, chunk);
    },
  });
  const entries = extract();
  const reading = pipeline(createReadStream(archive), meter, unbzip2(), entries, { signal });
  // A failure also ends the loop below, which then throws.
  reading.catch(() => undefined);
  let count = 0;
  for await (const entry of entries) {
    if (++count > MAX_ENTRIES) throw new Error(`the archive has more than ${MAX_ENTRIES} entries`);
    await unpackEntry(entry as Entry, folder, signal);
  }
  await reading;
}

async function unpackEntry(entry: Entry, folder: string, signal: AbortSignal): Promise<void> {
  const { name, type, size } = entry.header;
  const parts = safeParts(name);
  if (type !== 'file' && type !== 'directory') throw new Error(`the archive contains a ${type}, ${name}`);
  const inner = parts.slice(1);
  if (type === 'directory' || inner.length === 0 || EXCLUDED.has(inner[0] ?? '')) {
    if (type === 'file' && inner.length === 0)
      throw new Error(`the archive contains ${name} outside its top-level folder`);
    entry.resume();
    return;
  }
  const path = join(folder, ...inner);
  await requireSpace(folder, size);
  await mkdir(dirname(path), { recursive: true });
  // `wx` makes the second of two entries with the same name fail.
  await pipeline(Readable.from(entry), createWriteStream(path, { flags: 'wx', mode: 0o644 }), { signal });
}

/** @throws if the path is absolute or leads out of the folder */
function safeParts(name: string): string[] {
  const parts = name.split('/').filter((part, i, all) => part !== '.' && !(part === '' && i === all.length - 1));
  const isUnsafe = (part: string): boolean => part === '' || part === '..' || /[\\\0:]/.test(part);
  if (parts.some(isUnsafe)) throw new Error(`the archive contains the unsafe path ${JSON.stringify(name)}`);
  return parts;
}

/** @throws if the disk does not have enough free space */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + RESERVE_BYTES) {
    throw new Error(`${folder} has ${megabytes(free)} free, and ${megabytes(bytes + RESERVE_BYTES)} are needed`);
  }
}
