import { createReadStream } from 'node:fs';

/** @returns the first bytes of a file, or all of a shorter one */
export async function readHead(path: string, bytes: number): Promise<Buffer> {
  return Buffer.concat(await createReadStream(path, { end: bytes - 1, highWaterMark: bytes }).toArray());
}
