import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import { megabytes } from '../../runtime/terminal-progress.ts';

const MOST_ENTRIES = 10_000;
/** Left for the others on the disk. */
const RESERVE_BYTES = 200_000_000;
/** Recordings to try the model with. */
const LEFT_OUT = new Set(['test_wavs']);

interface Entry extends AsyncIterable<Uint8Array> {
  readonly header: Header;
  readonly resume: () => unknown;
}

/**
 * Unpacks a .tar.bz2 into an empty folder, without the single folder that is around everything in it. Takes files and
 * folders only: a link, a device or a name that leads elsewhere refuses the archive. Whoever made it is not trusted.
 *
 * @param onProgress called with the share that is done, 0 to 1
 * @throws Error that says what is wrong; what was unpacked so far stays in the folder
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
  // Its failure ends the loop below as well, and is told there.
  reading.catch(() => undefined);
  let count = 0;
  for await (const entry of entries) {
    if (++count > MOST_ENTRIES) throw new Error(`the archive has more than ${MOST_ENTRIES} entries`);
    await unpackEntry(entry as Entry, folder, signal);
  }
  await reading;
}

async function unpackEntry(entry: Entry, folder: string, signal: AbortSignal): Promise<void> {
  const { name, type, size } = entry.header;
  const parts = safeParts(name);
  if (type !== 'file' && type !== 'directory') throw new Error(`the archive holds a ${type}, ${name}`);
  const inner = parts.slice(1);
  if (type === 'directory' || inner.length === 0 || LEFT_OUT.has(inner[0] ?? '')) {
    if (type === 'file' && inner.length === 0) throw new Error(`the archive holds ${name} beside its folder`);
    entry.resume();
    return;
  }
  const path = join(folder, ...inner);
  await requireSpace(folder, size);
  await mkdir(dirname(path), { recursive: true });
  // `wx`: of two entries with one name the second is refused.
  await pipeline(Readable.from(entry), createWriteStream(path, { flags: 'wx', mode: 0o644 }), { signal });
}

/** @throws when the name is absolute, or leads out of the folder */
function safeParts(name: string): string[] {
  const parts = name.split('/').filter((part, i, all) => part !== '.' && !(part === '' && i === all.length - 1));
  const isUnsafe = (part: string): boolean => part === '' || part === '..' || /[\\\0:]/.test(part);
  if (parts.some(isUnsafe)) throw new Error(`the archive holds ${JSON.stringify(name)}, which leads elsewhere`);
  return parts;
}

/** @throws when the disk of the folder has not as much room */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + RESERVE_BYTES) {
    throw new Error(`${folder} has ${megabytes(free)} free, and ${megabytes(bytes + RESERVE_BYTES)} are needed`);
  }
}
