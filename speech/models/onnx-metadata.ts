import { open, type FileHandle } from 'node:fs/promises';

/** In ModelProto of onnx.proto: a list of StringStringEntryProto, whose key is field 1 and value field 2. */
const METADATA_FIELD = 14;
const [VARINT, FIXED_64, BYTES, FIXED_32] = [0, 1, 2, 5];
/** The limit of an entry; the language lists of Whisper have a few hundred characters. */
const ENTRY_MAX_BYTES = 1_048_576;
const VARINT_MAX_BYTES = 10;

/** Skips the weights, because a model may have gigabytes. @throws if the file is not a protobuf message */
export async function readOnnxMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const entries = new Map<string, string>();
    for (let at = 0; at < size;) {
      const head = await read(file, at, 2 * VARINT_MAX_BYTES);
      const tag = varint(head, 0);
      const body = at + tag.next;
      const wire = tag.value % 8;
      if (wire === VARINT) at = body + varint(head, tag.next).next - tag.next;
      else if (wire === FIXED_64) at = body + 8;
      else if (wire === FIXED_32) at = body + 4;
      else if (wire === BYTES) {
        const length = varint(head, tag.next);
        const start = at + length.next;
        at = start + length.value;
        if (at > size) throw new Error(`${path} is not an ONNX model, or is truncated`);
        if (Math.floor(tag.value / 8) !== METADATA_FIELD) continue;
        if (length.value > ENTRY_MAX_BYTES) throw new Error(`${path} has metadata of ${length.value} bytes`);
        const [key, value] = entryOf(await read(file, start, length.value));
        entries.set(key, value);
      } else throw new Error(`${path} is not an ONNX model`);
    }
    return entries;
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function varint(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  for (let i = 0; i < VARINT_MAX_BYTES; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: at + i + 1 };
  }
  throw new Error('not an ONNX model');
}

function entryOf(bytes: Buffer): [string, string] {
  const fields = ['', '', ''];
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at);
    const length = varint(bytes, tag.next);
    fields[Math.floor(tag.value / 8)] = bytes.toString('utf8', length.next, length.next + length.value);
    at = length.next + length.value;
  }
  return [fields[1] ?? '', fields[2] ?? ''];
}
