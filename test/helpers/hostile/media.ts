import { crc32, createDeflate } from 'node:zlib';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { runTool } from '../media.ts';

/** A box of an MP4 file (ISO 14496-12, section 4.2). */
export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + parts.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...parts]);
}

/** 32-bit numbers, big-endian. */
export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'dinf', 'stbl']);

/** The file with each box of a type replaced, however deep it lies; the sizes of those around it are made right. */
export function replaceBoxes(file: Buffer, type: string, change: (content: Buffer) => Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let offset = 0; offset + 8 <= file.length;) {
    const size = file.readUInt32BE(offset);
    const name = file.toString('latin1', offset + 4, offset + 8);
    const content = file.subarray(offset + 8, offset + size);
    if (name === type) parts.push(box(name, change(content)));
    else if (CONTAINERS.has(name)) parts.push(box(name, replaceBoxes(content, type, change)));
    else parts.push(file.subarray(offset, offset + size));
    offset += size;
  }
  return Buffer.concat(parts);
}

/** Overwrites bytes at an offset. */
export function patched(bytes: Buffer, offset: number, ...values: readonly number[]): Buffer {
  const copy = Buffer.from(bytes);
  u32(...values).copy(copy, offset);
  return copy;
}

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

/** In milliseconds. */
const HOURS_1000 = 3_600_000_000;
const BOMB_SIDE = 12_000;

/**
 * Media that lie about themselves, by what they are.
 *
 * @param folder where the honest media that they are made of are put
 * @param outside absolute path that those with references name
 * @param only which of them; making all takes a while
 */
export async function hostileMedia(
  folder: string,
  outside: string,
  only?: readonly string[],
): Promise<Readonly<Record<string, Buffer>>> {
  const make = async (name: string, ...args: readonly string[]): Promise<Buffer> => {
    const path = join(folder, name);
    await runTool(inject('tools').ffmpeg, ['-v', 'error', '-y', ...args, path]);
    return readFile(path);
  };
  const sine = ['-f', 'lavfi', '-i', 'sine=d=3'];
  const tiny = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1:r=5'];
  const m4a = await make('honest.m4a', ...sine, '-c:a', 'aac');
  const wav = await make('honest.wav', ...sine);
  const flac = await make('honest.flac', ...sine);
  const mkv = await make('honest.mkv', ...sine, '-c:a', 'libopus');
  const vp8 = await make('honest.webm', ...tiny, ...sine, '-c:v', 'libvpx', '-c:a', 'libopus', '-shortest');
  let bomb: Promise<Buffer> | undefined;
  const png = (): Promise<Buffer> => (bomb ??= squarePng(BOMB_SIDE));
  await writeFile(join(folder, 'note.txt'), 'attached');
  const attachment = ['-attach', join(folder, 'note.txt'), '-metadata:s:t', 'mimetype=text/plain'];
  // Version and flags, two times, then the unit and the duration in it.
  const timed = (type: string) => replaceBoxes(m4a, type, (content) => patched(content, 12, 1000, HOURS_1000));
  const makers: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
    'a reference to a file elsewhere': () => replaceBoxes(m4a, 'dref', () => alias(outside)),
    'a header that claims 1000 hours': () => timed('mvhd'),
    'a track that claims 1000 hours': () => timed('mdhd'),
    'samples that last 1000 hours': () => replaceBoxes(m4a, 'stts', () => u32(0, 1, 130, 0x7fffffff)),
    '4 billion samples without sizes': () => replaceBoxes(m4a, 'stsz', () => u32(0, 1, 0xffffffff)),
    '4 billion sizes that are not there': () => replaceBoxes(m4a, 'stsz', () => u32(0, 0, 0xffffffff)),
    '4 billion times': () => replaceBoxes(m4a, 'stts', () => u32(0, 1, 0xffffffff, 1)),
    'chunks beyond the end': () => replaceBoxes(m4a, 'stco', () => u32(0, 1, 0xfffffff0)),
    'an MP4 that is cut': () => m4a.subarray(0, m4a.length / 2),
    'an MP4 that begins in the middle': () => m4a.subarray(m4a.length / 2),
    'boxes in boxes, 20,000 deep': () => nested(20_000),
    'a box of 18 exabytes': () => Buffer.concat([u32(1), Buffer.from('mdat'), u32(0xffffffff, 0xffffffff), m4a]),
    'a box without an end': () => Buffer.concat([m4a.subarray(0, 28), u32(0), Buffer.from('mdat')]),
    '5 MB of words': () => replaceBoxes(m4a, 'udta', () => words(5_000_000)),
    '300 tracks': () => make('many.mp4', '-i', join(folder, 'honest.m4a'), ...repeated(300), '-c', 'copy'),
    'a WAV that claims 4 GB': () => patched(patched(wav, 4, 0xffffffff), wav.indexOf('data') + 4, 0xffffffff),
    'a WAV of 65,535 channels': () => Buffer.concat([wav.subarray(0, 22), Buffer.from([0xff, 0xff]), wav.subarray(24)]),
    'a WAV of 4 GHz': () => patched(wav, 24, 0xffffffff),
    'a WAV of 0 Hz': () => patched(wav, 24, 0),
    'silence, an hour in 700 kB': () => make('silence.flac', '-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono:d=3600'),
    'a cover of 144 million pixels': async () => withCover(flac, await png(), BOMB_SIDE),
    'pictures of 16,383 x 16,383': () => hugeVp8(vp8),
    'an attachment': () => make('attached.mkv', '-i', join(folder, 'honest.mkv'), ...attachment, '-c', 'copy'),
    'a link to the next file': () => withNextFile(mkv),
    'a Matroska that is cut': () => mkv.subarray(0, mkv.length / 2),
    'a PNG': png,
    'a zip': () => Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(1_000, 7)]),
    noise: () => Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919 * index) & 255)),
    'an MPEG header and nothing': () => Buffer.from([0xff, 0xfb, 0x90, 0x64]),
  };
  const made: Record<string, Buffer> = {};
  for (const [name, maker] of Object.entries(makers)) {
    if (only === undefined || only.includes(name)) made[name] = await maker();
  }
  return made;
}

/** Apple's alias record: 150 bytes with volume and name, then the whole path as a field of type 2, its parts after colons. */
function alias(path: string): Buffer {
  const record = Buffer.alloc(150);
  record.writeUInt16BE(2, 6);
  record[10] = 1;
  record.write('v', 11);
  record[50] = 10;
  record.write('secret.m4a', 51);
  record.writeInt16BE(1, 130);
  record.writeInt16BE(1, 132);
  const text = Buffer.from(`v${path.replaceAll('/', ':')}`);
  const fields = Buffer.alloc(4);
  fields.writeInt16BE(2, 0);
  fields.writeInt16BE(text.length, 2);
  const end = Buffer.from([0xff, 0xff, 0, 0]);
  return Buffer.concat([u32(0, 1), box('alis', u32(0), record, fields, text, Buffer.alloc(text.length % 2), end)]);
}

function nested(depth: number): Buffer {
  const heads = Array.from({ length: depth }, (_, index) =>
    Buffer.concat([u32(8 * (depth - index)), Buffer.from('moov')]),
  );
  return Buffer.concat([box('ftyp', Buffer.from('M4A '), u32(0)), ...heads]);
}

function words(length: number): Buffer {
  const text = Buffer.alloc(length, 'ab cd ');
  const data = box('data', u32(1, 0), text);
  const handler = box('hdlr', u32(0, 0), Buffer.from('mdirappl'), Buffer.alloc(9));
  return box('meta', u32(0), handler, box('ilst', box('\u00a9cmt', data)));
}

const repeated = (count: number): string[] => Array.from({ length: count }, () => ['-map', '0:a']).flat();

/** RFC 6386, section 9.1: in a key frame the sides follow the start code, 14 bits each. */
function hugeVp8(webm: Buffer): Buffer {
  const copy = Buffer.from(webm);
  const start = Buffer.from([0x9d, 0x01, 0x2a]);
  for (let at = copy.indexOf(start); at >= 0; at = copy.indexOf(start, at + 7)) copy.writeUInt32LE(0x3fff3fff, at + 3);
  return copy;
}

/** The names of the programs that wrote it give way to that of the next file (RFC 9559, section 5.1.2). */
function withNextFile(mkv: Buffer): Buffer {
  const copy = Buffer.from(mkv);
  const from = copy.indexOf(Buffer.from([0x4d, 0x80]));
  const second = copy.indexOf(Buffer.from([0x57, 0x41]), from);
  const end = second + 3 + ((copy[second + 2] ?? 0) & 0x7f);
  const name = Buffer.alloc(end - from - 4, ' ');
  name.write('secret.m4a');
  Buffer.concat([Buffer.from([0x3e, 0x83, 0xbb, 0x80 | name.length]), name]).copy(copy, from);
  return copy;
}
