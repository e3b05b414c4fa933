import type { ServerResponse } from 'node:http';
import { write } from '../body.ts';
import type { DatasetRecord } from './records.ts';
import { Refusal } from '../json-http.ts';

const CHUNK_ROWS = 100;
const BATCH_MIN_ROWS = 1_000;

/** `batch_size` and `part` of a download. @throws Refusal */
export function readPart(query: URLSearchParams): { from: number; rows: number } {
  const size = query.get('batch_size');
  if (size === null) return { from: 0, rows: Infinity };
  const rows = Number(size);
  if (!(rows >= BATCH_MIN_ROWS)) {
    throw new Refusal(400, `batch_size should be at least ${String(BATCH_MIN_ROWS)}`);
  }
  return { from: (Number(query.get('part') ?? '1') - 1) * rows, rows };
}

/** Sends rows as they are made. @param options.cut ends the connection within the first row @returns whether all were sent */
export async function sendRows(
  res: ServerResponse,
  rows: Iterable<DatasetRecord>,
  options: { asLines: boolean; cut: boolean },
): Promise<boolean> {
  const contentType = options.asLines ? 'application/jsonl' : 'application/json';
  res.writeHead(200, { 'Content-Type': `${contentType}; charset=utf-8` });
  if (options.cut) {
    const [first] = rows;
    const text = JSON.stringify(first);
    // Node 26 delays a write until the next task, when the connection would be gone.
    await new Promise((resolve) => res.write(text.slice(0, text.length / 2), resolve));
    res.socket?.destroySoon();
    return false;
  }
  const alive = await write(res, textOf(rows, options.asLines));
  res.end();
  return alive;
}

export function* slice<Item>(items: Iterable<Item>, { from, rows }: { from: number; rows: number }): Generator<Item> {
  let index = 0;
  for (const item of items) {
    if (index >= from + rows) return;
    if (index >= from) yield item;
    index += 1;
  }
}

function* textOf(rows: Iterable<DatasetRecord>, asLines: boolean): Generator<Uint8Array> {
  const [open, between, close] = asLines ? ['', '\n', '\n'] : ['[', ',\n', ']'];
  let text = open;
  let count = 0;
  for (const row of rows) {
    text += (count === 0 ? '' : between) + JSON.stringify(row);
    count += 1;
    if (count % CHUNK_ROWS !== 0) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + close);
}
