import { failureFor } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { shortcodeOf, type ImgnetPlatform } from './records/items.ts';
import { recordOf, wordOf, type ImgnetRecord } from './records/record-readers.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import { rowFailure } from './dataset-failures.ts';
import { SnapshotLostError, SnapshotNotReadyError, type SnapshotPage, type SnapshotRow } from './imgnet-source.ts';

const NEWLINE = 0x0a;

export interface LineLimits {
  readonly maxLineBytes: number;
  readonly maxBodyBytes: number;
}

/** Reads the lines of a body while it arrives, without empty ones. @throws JobError `upstream_error` beyond the limits */
export async function* linesOf(body: AsyncIterable<Uint8Array>, limits: LineLimits): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  let heldBytes = 0;
  let bodyBytes = 0;
  for await (const chunk of body) {
    bodyBytes += chunk.length;
    if (bodyBytes > limits.maxBodyBytes) throw tooLarge('snapshot', limits.maxBodyBytes);
    const [rest = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    held += rest;
    for (const line of lines) {
      if (held.trim() !== '') yield held.trim();
      held = line;
    }
    const newline = chunk.lastIndexOf(NEWLINE);
    heldBytes = newline < 0 ? heldBytes + chunk.length : chunk.length - newline - 1;
    if (heldBytes > limits.maxLineBytes) throw tooLarge('record', limits.maxLineBytes);
  }
  held += decoder.decode();
  if (held.trim() !== '') yield held.trim();
}

function tooLarge(what: string, maxBytes: number): JobError {
  return new JobError(failureFor('datasetPartTooLarge', { part: what, maxBytes }));
}

/** About 300 KB. A page of large rows has fewer. */
const PAGE_ROWS = 100;
const PAGE_CHARS = 512 * 1024;

interface RowOptions extends Pick<Required<ImgnetPlatform>, 'hosts'> {
  /** The time of the next attempt if the snapshot is not ready. */
  readonly retryAtMs: number | undefined;
}

/** Groups the rows of a snapshot into pages without duplicates, counts error rows, and detects a snapshot that is not ready. */
export async function* pagesOf(lines: AsyncIterable<string>, options: RowOptions): AsyncGenerator<SnapshotPage> {
  const seen = new Set<string>();
  let firstFailure: JobError | undefined;
  let page = { rows: [] as SnapshotRow[], duplicates: 0, failures: 0 };
  const yieldToEventLoop = createYielder();
  let pageChars = 0;
  for await (const { value, chars } of valuesOf(lines)) {
    await yieldToEventLoop();
    pageChars += chars;
    const record = recordOf(value);
    const key = record === undefined ? undefined : keyOf(record, options.hosts);
    if (record !== undefined && key !== undefined) {
      if (seen.has(key)) page.duplicates += 1;
      else page.rows.push({ key, record });
      seen.add(key);
    } else {
      if (seen.size === 0 && record !== undefined && isNotReady(record)) {
        throw new SnapshotNotReadyError(options.retryAtMs);
      }
      const failure = rowFailure(record === undefined ? 'unreadable row' : errorTextOf(record));
      if (failure !== 'empty') {
        page.failures += 1;
        firstFailure ??= failure;
      }
    }
    if (page.rows.length === PAGE_ROWS || (pageChars >= PAGE_CHARS && page.rows.length > 0)) {
      yield page;
      pageChars = 0;
      page = { rows: [], duplicates: 0, failures: 0 };
    }
  }
  if (seen.size === 0 && firstFailure !== undefined) {
    // Another read would give the same result.
    throw new SnapshotLostError(firstFailure, { cause: firstFailure.cause });
  }
  if (page.rows.length + page.duplicates + page.failures > 0) yield page;
}

/** Whether a row is a status message instead of a record. The API sends such a row with status 200 or 202. */
function isNotReady(record: ImgnetRecord): boolean {
  return wordOf(record['status']) !== undefined && wordOf(record['message']) !== undefined;
}

/** Yields the value of each line, or the entries of an array, which JSON downloads have. */
async function* valuesOf(lines: AsyncIterable<string>): AsyncGenerator<{ value: unknown; chars: number }> {
  for await (const line of lines) {
    const value = parseJson(line);
    // The usual reason is a truncated record at the end of the body.
    if (value === undefined) throw new JobError('datasetRowUnreadable');
    const values = Array.isArray(value) ? (value as unknown[]) : [value];
    for (const each of values) yield { value: each, chars: line.length / values.length };
  }
}

/** @returns undefined if the row is not a record */
function keyOf(record: ImgnetRecord, hosts: readonly string[]): string | undefined {
  return (
    shortcodeOf(record, hosts) ??
    wordOf(record['account'])?.toLowerCase() ??
    wordOf(record['post_id']) ??
    wordOf(record['url'])
  );
}

function errorTextOf(record: ImgnetRecord): string {
  const code = wordOf(record['error_code']) ?? wordOf(record['warning_code']) ?? '';
  return `${code}: ${wordOf(record['error']) ?? wordOf(record['warning']) ?? 'unreadable row'}`;
}
