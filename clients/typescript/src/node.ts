import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readFile, type FileOptions } from './download-file.ts';
import type { Client } from './generated/client/index.ts';

export interface SaveOptions extends FileOptions {
  readonly onBytes?: ((savedBytes: number, sizeBytes: number) => void) | undefined;
}

/**
 * Saves a file of a finished download. The file gets its final name when it is complete.
 * @param path the path of the file, or of an existing folder, in which the file keeps its own name
 * @returns the path of the saved file
 * @throws TapedeckError
 */
export async function saveFile(
  client: Client,
  id: string,
  { path, onBytes, ...options }: SaveOptions & { readonly path: string },
): Promise<string> {
  const { name, sizeBytes, contents } = await readFile(client, id, options);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const target = isFolder ? join(path, name) : path;
  const unfinished = `${target}.part`;
  let saved = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array, void> {
    for await (const piece of contents) {
      yield piece;
      saved += piece.length;
      onBytes?.(saved, sizeBytes);
    }
  };
  try {
    await pipeline(Readable.from(counted()), createWriteStream(unfinished));
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return target;
}
