import { DATASET_IDS, type DatasetName, type Wanted } from './collect.ts';
import { Refusal } from '../json-http.ts';

export interface Snapshot {
  readonly id: string;
  readonly dataset: DatasetName;
  readonly wanted: readonly Wanted[];
  readonly accounts: readonly string[];
  readonly startedAtMs: number;
  readonly readyAtMs: number;
  readonly listedAtMs: number;
  readonly linksExpireAtMs: number;
  /** Why it fails instead of becoming ready. */
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

/** Snapshots of a dataset, newest first. @throws Refusal */
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

/** The inputs of a snapshot as CSV, with a column for each field of any input. */
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
