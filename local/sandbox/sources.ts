import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { BodySource } from './body.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  vtt: 'text/vtt; charset=utf-8',
  json3: 'application/json; charset=utf-8',
};

/** @returns undefined when the file is gone */
export async function fileSource(path: string, ext: string): Promise<BodySource | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  return {
    sizeBytes: found.size,
    contentType: CONTENT_TYPES[ext] ?? 'application/octet-stream',
    etag: `"${found.size.toString(36)}-${Math.round(found.mtimeMs).toString(36)}"`,
    // An empty part can't be said with an inclusive end.
    read: (start, end) => (end > start ? createReadStream(path, { start, end: end - 1 }) : []),
  };
}

export function jsonSource(value: unknown): BodySource {
  return bytesSource(Buffer.from(JSON.stringify(value)), 'application/json; charset=utf-8');
}

export function bytesSource(bytes: Buffer, contentType: string): BodySource {
  return {
    sizeBytes: bytes.length,
    contentType,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    read: (start, end) => [bytes.subarray(start, end)],
  };
}

/** The bytes of a file again and again: a broadcast has no end. */
export async function* endless(path: string): AsyncGenerator<Uint8Array> {
  for (;;) yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}
