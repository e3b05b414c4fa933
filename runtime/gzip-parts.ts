import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, gunzip } from 'node:zlib';

interface Sums {
  readonly crc: number;
  /** Of the text in UTF-8. */
  readonly bytes: number;
}
/**
 * A compressed text that can be joined with others: its deflate data ends at a byte and refers to nothing before it. A gzip file
 * of several members would be simpler, but browsers read only the first one.
 */
export interface GzipPart extends Sums {
  readonly data: Uint8Array;
}

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** Deflate's shortest final block, which is empty, and the checksum and length of the text. */
const END = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const EMPTY_SUMS: Sums = { crc: 0, bytes: 0 };
const compress = promisify<Buffer, object, Buffer>(deflateRaw);
const decompress = promisify<Uint8Array, object, Buffer>(gunzip);

/** A text of up to this many bytes is not compressed, since a call of zlib would cost more than it saves. */
const UNCOMPRESSED_BYTES = 64;

export async function gzipPartOf(text: string): Promise<GzipPart> {
  const bytes = Buffer.from(text);
  // A block that is stored as it is: its type, its length, and the complement of that.
  const stored = (): Buffer => Buffer.concat([Buffer.from([0, bytes.length, 0, ~bytes.length, 0xff]), bytes]);
  const isShort = bytes.length <= UNCOMPRESSED_BYTES;
  const data = isShort ? stored() : await compress(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  return { data, crc: crc32(bytes), bytes: bytes.length };
}

export function joinParts(parts: readonly GzipPart[]): GzipPart {
  return { ...parts.reduce(sumsOf, EMPTY_SUMS), data: Buffer.concat(parts.map(({ data }) => data)) };
}

/** @returns a gzip file with one member */
export function gzipOf(part: GzipPart): Buffer {
  return Buffer.concat([HEADER, part.data, endOf(part)]);
}

/** @param gzip the result of {@link gzipOf} */
export function partIn(gzip: Uint8Array): GzipPart {
  const data = gzip.subarray(HEADER.length, -END.length);
  const end = Buffer.from(gzip.subarray(-END.length));
  return { data, crc: end.readUInt32LE(2), bytes: end.readUInt32LE(6) };
}

/** Compares the checksum too. */
export function unzip(gzip: Uint8Array): Promise<Buffer> {
  // One chunk takes the whole text; by default there is a call of zlib for each 16 KiB.
  return decompress(gzip, { chunkSize: Math.max(64, partIn(gzip).bytes + 1) });
}

/** Writes a gzip file with one member while its parts arrive. */
export async function* gzipStream(parts: AsyncIterable<GzipPart>): AsyncGenerator<Uint8Array> {
  let sums = EMPTY_SUMS;
  yield HEADER;
  for await (const part of parts) {
    sums = sumsOf(sums, part);
    yield part.data;
  }
  yield endOf(sums);
}

function endOf({ crc, bytes }: Sums): Buffer {
  const end = Buffer.from(END);
  end.writeUInt32LE(crc, 2);
  end.writeUInt32LE(bytes % 2 ** 32, 6);
  return end;
}

const ONE = 2 ** 31;
/** The polynomial of CRC-32, with the highest power in the lowest bit. */
const POLYNOMIAL = 0xed_b8_83_20;

/** As zlib's `crc32_combine`, the checksum of both texts is crc · x^(8 · bytes) + crc of the part. */
function sumsOf({ crc, bytes }: Sums, part: Sums): Sums {
  let shift = ONE;
  // x^8, x^16, x^32 and so on, for the binary digits of the length.
  let power = ONE >>> 8;
  for (let left = part.bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = product(shift, power);
    power = product(power, power);
  }
  return { crc: (product(shift, crc) ^ part.crc) >>> 0, bytes: bytes + part.bytes };
}

function product(one: number, other: number): number {
  let sum = 0;
  let shifted = other;
  for (let bit = ONE; bit > 0; bit >>>= 1) {
    if ((one & bit) !== 0) sum ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return sum >>> 0;
}
