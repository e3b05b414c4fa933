import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TapedeckError, type OpenedFile } from '../clients/typescript/src/index.ts';
import { FailedError } from './exit-codes.ts';

export interface SaveOptions {
  readonly isForced: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
}

export async function saveText(path: string, text: string, options: SaveOptions): Promise<void> {
  await saveStream(path, Readable.from([text]), options);
}

export async function saveFile(path: string, { sizeBytes, contents }: OpenedFile, options: SaveOptions): Promise<void> {
  let done = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of contents) {
      yield piece;
      done += piece.length;
      options.onProgress?.(done, sizeBytes);
    }
  };
  await saveStream(path, counted(), options);
}

export async function saveStream(
  path: string,
  source: AsyncIterable<string | Uint8Array>,
  { isForced, signal }: SaveOptions,
): Promise<void> {
  const folder = dirname(path);
  // The temporary name does not include the file's name, since together they could exceed the length limit.
  const part = join(folder, `.tapedeck-${randomBytes(8).toString('hex')}.part`);
  try {
    await mkdir(folder, { recursive: true });
    await pipeline(source, createWriteStream(part, { flags: 'wx', flush: true }), { signal });
    await (isForced ? rename(part, path) : appear(part, path));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TapedeckError) throw error;
    throw new FailedError(`${path} could not be saved: ${reasonOf(error)}`, { cause: error });
  } finally {
    await rm(part, { force: true });
  }
}

async function appear(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems have no hard links.
    if (code === 'EEXIST' || existsSync(path))
      throw new Error('the file already exists; --force overwrites it', { cause: error });
    await rename(part, path);
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code ?? (error instanceof Error ? error.message : String(error));
}
