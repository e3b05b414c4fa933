import type { ServerResponse } from 'node:http';
import { DATASET_IDS, type DatasetName, type Wanted } from './collect.ts';
import { Refusal } from '../json-http.ts';
import { write } from '../body.ts';
import type { DatasetRecord } from './records.ts';

export interface Snapshot {
  readonly id: string;
  readonly dataset: DatasetName;
  readonly wanted: readonly Wanted[];
  readonly accounts: readonly string[];
  readonly startedAtMs: number;
  readonly readyAtMs: number;
  readonly listedAtMs: number;
  readonly linksExpireAtMs: number;
  /** The reason why the snapshot fails instead of becoming ready. */
  readonly failure: string | undefined;
}

/** The share of the time in which a snapshot is `starting`. */
const STARTING = 0.2;
const LIMIT = 1_000;
const MAX_LIMIT = 5_000;

export function statusOf(snapshot: Snapshot, nowMs: number): 'starting' | 'running' | 'ready' | 'failed' {
  const { startedAtMs, readyAtMs, failure } = snapshot;
  if (nowMs >= readyAtMs) return failure === undefined ? 'ready' : 'failed';
  return nowMs < startedAtMs + (readyAtMs - startedAtMs) * STARTING ? 'starting' : 'running';
}

export function listOf(
  snapshots: readonly Snapshot[],
  { dataset, nowMs, query }: { readonly dataset: DatasetName; readonly nowMs: number; readonly query: URLSearchParams },
): object[] {
  const number = (name: string, otherwise: number): number => {
    const given = Number(query.get(name) ?? otherwise);
    if (!Number.isInteger(given) || given < 0) throw new Refusal(400, `${name} is no number`);
    return given;
  };
  const [skip, limit] = [number('skip', 0), number('limit', LIMIT)];
  if (limit > MAX_LIMIT) throw new Refusal(400, `limit must be at most ${String(MAX_LIMIT)}`);
  const fromMs = Date.parse(query.get('from_date') ?? '1970-01-01');
  const status = query.get('status');
  return snapshots
    .filter((one) => one.dataset === dataset && nowMs >= one.listedAtMs && one.startedAtMs >= fromMs)
    .toReversed()
    .sort((a, b) => b.startedAtMs - a.startedAtMs)
    .map((one) => ({
      id: one.id,
      created: new Date(one.startedAtMs).toISOString(),
      status: statusOf(one, nowMs),
      dataset_id: DATASET_IDS[dataset],
      trigger: { type: 'API' },
    }))
    .filter((one) => status === null || one.status === status)
    .slice(skip, skip + limit);
}

export function inputsOf({ wanted }: Snapshot): string {
  const inputs = wanted.map(({ input }) => input as Readonly<Record<string, unknown>>);
  const columns = [...new Set(inputs.flatMap((input) => Object.keys(input)))];
  const lines = [columns, ...inputs.map((input) => columns.map((column) => textOf(input[column])))];
  return lines.map((line) => line.map(quoted).join(',')).join('\n');
}

function textOf(value: unknown): string {
  if (value === undefined || typeof value === 'string') return value ?? '';
  return Array.isArray(value) ? value.join() : JSON.stringify(value);
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

const CHUNK_ROWS = 100;
const BATCH_MIN_ROWS = 1_000;

export function readPart(query: URLSearchParams): { from: number; rows: number } {
  const size = query.get('batch_size');
  if (size === null) return { from: 0, rows: Infinity };
  const rows = Number(size);
  if (!(rows >= BATCH_MIN_ROWS)) {
    throw new Refusal(400, `batch_size should be at least ${String(BATCH_MIN_ROWS)}`);
  }
  return { from: (Number(query.get('part') ?? '1') - 1) * rows, rows };
}

/** Sends rows as they are generated. @param options.cut ends the connection within the first row @returns whether all were sent */
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
  const alive = await write(res, encoded(rows, options.asLines));
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

function* encoded(rows: Iterable<DatasetRecord>, asLines: boolean): Generator<Uint8Array> {
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
