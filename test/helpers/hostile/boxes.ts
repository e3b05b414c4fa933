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

/** With some bytes at a place overwritten. */
export function patched(bytes: Buffer, offset: number, ...values: readonly number[]): Buffer {
  const copy = Buffer.from(bytes);
  u32(...values).copy(copy, offset);
  return copy;
}
