import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import { megabytes } from '../../runtime/terminal-progress.ts';

const MAX_ENTRIES = 10_000;
/** Ten times the largest model of the catalogue. */
const MAX_BYTES = 10_000_000_000;
/** Weights hardly compress: the archives of the catalogue grow by less than two. */
const MAX_RATIO = 10;
const ANY_RATIO_BYTES = 20_000_000;
/** The disk space that must stay free. */
const RESERVE_BYTES = 200_000_000;
const EXCLUDED = new Set(['test_wavs']);

/** The archive is truncated, damaged or hostile. Another attempt to unpack it would fail too. */
export class BadArchiveError extends Error {
  override readonly name = 'BadArchiveError';
}

interface Entry extends AsyncIterable<Uint8Array> {
  readonly header: Header;
  readonly resume: () => unknown;
}

/** The archive is untrusted: a link, a device or a path outside the folder is rejected. The unpacked files stay. */
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
  const reading = pipeline(createReadStream(archive), meter, unbzip2(), limitOf(size), entries, { signal });
  // A failure also ends the loop below, which then throws.
  reading.catch(() => undefined);
  try {
    let count = 0;
    for await (const entry of entries) {
      if (++count > MAX_ENTRIES) throw new BadArchiveError(`it has more than ${MAX_ENTRIES} entries`);
      await unpackEntry(entry as Entry, folder, signal);
    }
    await reading;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BadArchiveError || error instanceof NoRoomError || isOfDisk(error)) throw error;
    // The error is one of bzip2 or of tar.
    const reason = error instanceof Error ? error.message : String(error);
    throw new BadArchiveError(`it is cut off or damaged (${reason})`, { cause: error });
  }
}

/** Limits the unpacked size, even if the entries declare smaller sizes. */
function limitOf(archiveBytes: number): Transform {
  const mostBytes = Math.min(MAX_BYTES, Math.max(ANY_RATIO_BYTES, archiveBytes * MAX_RATIO));
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next): void {
      bytes += chunk.length;
      if (bytes <= mostBytes) next(null, chunk);
      else next(new BadArchiveError(`more than ${megabytes(mostBytes)} would come of its ${megabytes(archiveBytes)}`));
    },
  });
}

class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

const isOfDisk = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

async function unpackEntry(entry: Entry, folder: string, signal: AbortSignal): Promise<void> {
  const { name, type, size } = entry.header;
  const parts = safeParts(name);
  if (type !== 'file' && type !== 'directory') throw new BadArchiveError(`it holds a ${type}, ${name}`);
  const inner = parts.slice(1);
  if (type === 'directory' || inner.length === 0 || EXCLUDED.has(inner[0] ?? '')) {
    if (type === 'file' && inner.length === 0) throw new BadArchiveError(`it holds ${name} beside its folder`);
    entry.resume();
    return;
  }
  const path = join(folder, ...inner);
  await requireSpace(folder, size);
  await mkdir(dirname(path), { recursive: true });
  // `wx` makes the second of two entries with the same name fail.
  await pipeline(Readable.from(entry), createWriteStream(path, { flags: 'wx', mode: 0o644 }), { signal }).catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new BadArchiveError(`it holds ${name} twice`, { cause: error });
    },
  );
}

function safeParts(name: string): string[] {
  const parts = name.split('/').filter((part, i, all) => part !== '.' && !(part === '' && i === all.length - 1));
  const isUnsafe = (part: string): boolean => part === '' || part === '..' || /[\\\0:]/.test(part);
  if (parts.some(isUnsafe)) throw new BadArchiveError(`it holds ${JSON.stringify(name)}, which leads elsewhere`);
  return parts;
}

export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + RESERVE_BYTES) {
    throw new NoRoomError(`${folder} has ${megabytes(free)} free, and ${megabytes(bytes + RESERVE_BYTES)} are needed`);
  }
}
