import type { ServerResponse } from 'node:http';
import { write } from '../body.ts';
import type { DatasetRecord } from './records.ts';

const CHUNK_ROWS = 100;
const BATCH_MIN_ROWS = 1_000;

export type DownloadFormat = 'json' | 'ndjson';

/** `batch_size` and `part` of a download, or why they make no sense. */
export function readPart(query: URLSearchParams): { from: number; rows: number } | string {
  const size = query.get('batch_size');
  if (size === null) return { from: 0, rows: Infinity };
  if (!/^\d{1,9}$/.test(size) || Number(size) < BATCH_MIN_ROWS)
    return `batch_size should be at least ${String(BATCH_MIN_ROWS)}`;
  const part = Number(query.get('part') ?? '1');
  if (!Number.isInteger(part) || part < 1) return 'part should be a number from 1';
  return { from: (part - 1) * Number(size), rows: Number(size) };
}

/** @returns undefined for a format that the sandbox does not have */
export function readFormat(query: URLSearchParams): DownloadFormat | undefined {
  const name = query.get('format') ?? 'json';
  return name === 'json' ? 'json' : name === 'ndjson' || name === 'jsonl' ? 'ndjson' : undefined;
}

/**
 * Sends rows as they are made.
 *
 * @param cut end the connection in the middle
 * @returns whether all went out
 */
export async function sendRows(
  res: ServerResponse,
  rows: Iterable<DatasetRecord>,
  options: { format: DownloadFormat; cut: boolean },
): Promise<boolean> {
  const contentType = options.format === 'json' ? 'application/json' : 'application/jsonl';
  res.writeHead(200, { 'Content-Type': `${contentType}; charset=utf-8` });
  const chunks = options.cut ? firstHalf(textOf(rows, options.format)) : textOf(rows, options.format);
  const alive = await write(res, bytesOf(chunks));
  if (options.cut) res.socket?.destroySoon();
  else res.end();
  return alive && !options.cut;
}

export function* slice<Item>(items: Iterable<Item>, { from, rows }: { from: number; rows: number }): Generator<Item> {
  let index = 0;
  for (const item of items) {
    if (index >= from + rows) return;
    if (index >= from) yield item;
    index += 1;
  }
}

function* textOf(rows: Iterable<DatasetRecord>, format: DownloadFormat): Generator<string> {
  const [open, between, close] = format === 'json' ? ['[', ',\n', ']'] : ['', '\n', '\n'];
  let text = open;
  let count = 0;
  for (const row of rows) {
    text += (count === 0 ? '' : between) + JSON.stringify(row);
    count += 1;
    if (count % CHUNK_ROWS !== 0) continue;
    yield text;
    text = '';
  }
  yield text + close;
}

function* firstHalf(chunks: Iterable<string>): Generator<string> {
  for (const chunk of chunks) {
    yield chunk.slice(0, Math.floor(chunk.length / 2));
    return;
  }
}

async function* bytesOf(chunks: Iterable<string>): AsyncGenerator<Uint8Array> {
  // Between two chunks others get their turn.
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}
