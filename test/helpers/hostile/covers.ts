import { crc32, createDeflate } from 'node:zlib';
import { u32 } from './boxes.ts';

/** A black PNG of colour and transparency, which takes `4 * side ** 2` bytes of memory and a thousandth of that on disk. */
export async function squarePng(side: number): Promise<Buffer> {
  const deflate = createDeflate({ level: 9 });
  const packed: Buffer[] = [];
  deflate.on('data', (part: Buffer) => packed.push(part));
  const row = Buffer.alloc(1 + 4 * side);
  const ended = new Promise((resolve) => deflate.on('end', resolve));
  for (let line = 0; line < side; line += 1) {
    if (!deflate.write(row)) await new Promise((resolve) => deflate.once('drain', resolve));
  }
  deflate.end();
  await ended;
  const head = Buffer.concat([u32(side, side), Buffer.from([8, 6, 0, 0, 0])]);
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    magic,
    chunk('IHDR', head),
    chunk('IDAT', Buffer.concat(packed)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  return Buffer.concat([u32(content.length), named, u32(crc32(named))]);
}

/** The FLAC file with a picture before its sound (RFC 9639, section 8.8). */
export function withCover(flac: Buffer, picture: Buffer, side: number): Buffer {
  const mime = Buffer.from('image/png');
  const content = Buffer.concat([u32(3, mime.length), mime, u32(0, side, side, 32, 0, picture.length), picture]);
  const size = u32(content.length).subarray(1);
  const first = Buffer.from(flac.subarray(0, 42));
  first[4] = 0;
  return Buffer.concat([first, Buffer.from([6]), size, content, flac.subarray(42)]);
}
