import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Misbehaviour } from './switches.ts';

const SLOW_BYTES_PER_SECOND = 20_000;
const CUT_FRACTION = 0.5;
const SLOW_STEPS = 10;

export interface BodySource {
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly etag: string;
  read(start: number, end: number): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface SendOptions {
  readonly misbehaviour?: Misbehaviour | undefined;
  readonly onBytes?: ((sizeBytes: number) => void) | undefined;
  /** The status of a complete body; default 200. */
  readonly status?: number;
  readonly onComplete?: () => void;
}

/** Answers a GET or HEAD, with a requested single byte range, or misbehaves as a switch says. */
export async function sendBody(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  source: BodySource,
  options: SendOptions = {},
): Promise<void> {
  const { misbehaviour } = options;
  const mode = misbehaviour?.mode;
  if (misbehaviour !== undefined && (mode === '429' || mode === '500')) {
    refuse(res, misbehaviour);
    return;
  }
  // A response that hangs at its start sends no headers.
  if (mode === 'hang' && cutPoint(misbehaviour, 0) === undefined) return;

  // The headers of a short body agree with it.
  const short =
    mode === 'short' ? Math.min(source.sizeBytes, cutPoint(misbehaviour, source.sizeBytes) ?? 0) : undefined;
  const size = short ?? source.sizeBytes;
  const range = parseRange(req, source.etag, size);
  if (options.status !== undefined) res.statusCode = options.status;
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('ETag', source.etag);
  res.setHeader('Content-Type', source.contentType);
  if (range === 'unsatisfiable') {
    res.writeHead(416, { 'Content-Range': `bytes */${String(size)}` }).end();
    return;
  }
  const [start, end] = range ?? [0, size];
  if (range !== undefined) {
    res.statusCode = 206;
    res.setHeader('Content-Range', `bytes ${String(start)}-${String(end - 1)}/${String(size)}`);
  }
  if (misbehaviour?.chunked !== true) res.setHeader('Content-Length', end - start);
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  res.flushHeaders();

  const breaks = mode === 'cut' || mode === 'hang';
  const stop = breaks ? start + Math.min(cutPoint(misbehaviour, end - start) ?? 0, Math.max(0, end - start - 1)) : end;
  const bytesPerSecond = misbehaviour?.bytes_per_second ?? (mode === 'slow' ? SLOW_BYTES_PER_SECOND : undefined);
  const alive = await write(res, source.read(start, stop), { bytesPerSecond, onBytes: options.onBytes });
  if (!alive || mode === 'hang') return;
  if (mode === 'cut') {
    // Ends the connection once the written bytes are sent, as a server that crashes does.
    res.socket?.destroySoon();
    return;
  }
  res.end();
  if (end === source.sizeBytes) options.onComplete?.();
}

/** @returns false when the client left before all was sent */
export async function write(
  res: ServerResponse,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: Pick<SendOptions, 'onBytes'> & { bytesPerSecond?: number | undefined } = {},
): Promise<boolean> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  let unsent = 0;
  try {
    for await (const chunk of chunks) {
      for (const piece of pieces(chunk, options.bytesPerSecond)) {
        // A client that has all bytes may leave at once, so nothing is awaited after the last piece.
        if (res.writableNeedDrain) await once(res, 'drain', { signal: gone.signal });
        if (res.closed || res.destroyed) return false;
        if (options.bytesPerSecond !== undefined) {
          await delay((piece.length / options.bytesPerSecond) * 1000, undefined, { signal: gone.signal });
        }
        unsent += 1;
        res.write(piece, (error) => (unsent -= error ? 0 : 1));
        options.onBytes?.(piece.length);
      }
    }
    // A client that has all bytes may have left before the source ended.
    return !res.destroyed || unsent === 0;
  } catch (error) {
    if (gone.signal.aborted) return false;
    throw error;
  }
}

function* pieces(chunk: Uint8Array, bytesPerSecond: number | undefined): Generator<Uint8Array> {
  const step = bytesPerSecond === undefined ? chunk.length : Math.max(1, Math.round(bytesPerSecond / SLOW_STEPS));
  for (let at = 0; at < chunk.length; at += step) yield chunk.subarray(at, at + step);
}

function refuse(res: ServerResponse, { mode, retry_after_seconds }: Misbehaviour): void {
  if (retry_after_seconds !== undefined) res.setHeader('Retry-After', retry_after_seconds);
  res.writeHead(Number(mode), { 'Content-Type': 'text/plain' }).end(`${mode}\n`);
}

/** The number of bytes after which the response goes wrong. */
function cutPoint(misbehaviour: Misbehaviour | undefined, sizeBytes: number): number | undefined {
  if (misbehaviour?.cut_at_bytes !== undefined) return misbehaviour.cut_at_bytes;
  const fraction = misbehaviour?.cut_at_fraction ?? (misbehaviour?.mode === 'hang' ? undefined : CUT_FRACTION);
  return fraction === undefined ? undefined : Math.floor(sizeBytes * fraction);
}

/** A single range (RFC 9110, 14.2), end exclusive; any other is ignored. */
function parseRange(req: IncomingMessage, etag: string, size: number): [number, number] | 'unsatisfiable' | undefined {
  const ifRange = req.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(req.headers.range ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return start >= end ? 'unsatisfiable' : [start, end];
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  webm: 'video/webm',
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
    // createReadStream cannot express an empty range.
    read: (start, end) => (end > start ? createReadStream(path, { start, end: end - 1 }) : []),
  };
}

/** Unknown values are null, as in yt-dlp's JSON. */
export function jsonSource(value: object): BodySource {
  const text = JSON.stringify(value, (_name, part: unknown) => part ?? null);
  return bytesSource(Buffer.from(text), 'application/json; charset=utf-8');
}

export function bytesSource(bytes: Buffer, contentType: string): BodySource {
  return {
    sizeBytes: bytes.length,
    contentType,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    read: (start, end) => [bytes.subarray(start, end)],
  };
}

export async function* endless(path: string): AsyncGenerator<Uint8Array> {
  for (;;) yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}
