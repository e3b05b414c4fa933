import type { DownloadRecord, DownloadResult, JobDetails, WebhookTestResult } from '../clients/typescript/src/index.ts';
import type { ParsedAs } from './arguments.ts';
import { progressText, type Display } from './display.ts';
import { EXIT, exitCodeOf, FailedError, sentenceOf } from './exit-codes.ts';
import { jsonText } from './printable.ts';
import { failureOf, type JobAnswer } from './read-answer.ts';
import { isRunning, type Service } from './reach-service.ts';
import { uploadFile, type UploadTarget } from './upload-file.ts';

const PAGE = 100;
const ITEMS_PAGE = 500;

export interface Connection {
  readonly service: Service;
  readonly display: Display;
}

interface JobsArguments {
  readonly ids: readonly string[];
  readonly isJson: boolean;
}

export async function listJobs(connection: Connection, { query, limit, isJson }: ParsedAs<'jobs'>): Promise<number> {
  const found = await printList(connection, ['/api/downloads', 'downloads'], { query, limit, isJson, rowOf });
  if (found === 0) connection.display.note('No jobs match.', 'dim');
  return EXIT.success;
}

interface PrintOptions<Entry> {
  readonly query?: Readonly<Record<string, string>>;
  readonly limit?: number;
  readonly isJson: boolean;
  readonly rowOf: (entry: Entry) => string;
}

/** Prints a list of the service page by page. @param name the field of the answer that has the entries @returns their number */
export async function printList<Entry extends object>(
  { service, display }: Connection,
  [path, name]: readonly [path: string, name: string],
  { query = {}, limit = Infinity, isJson, rowOf: textOf }: PrintOptions<Entry>,
): Promise<number> {
  let printed = 0;
  for (let cursor: string | null = ''; cursor !== null && printed < limit;) {
    const page: Readonly<Record<string, unknown>> = await service.send('GET', path, {
      query: { ...query, limit: String(Math.min(limit - printed, PAGE)), ...(cursor !== '' && { cursor }) },
    });
    const entries = page[name] as readonly Entry[];
    for (const entry of entries) display.print(isJson ? jsonText(entry) : textOf(entry));
    printed += entries.length;
    cursor = page['next_cursor'] as string | null;
  }
  return printed;
}

export function showJobs(connection: Connection, { ids, isJson }: JobsArguments): Promise<number> {
  const { service, display } = connection;
  return forEach(connection, ids, async (id) => {
    const path = encodeURIComponent(id);
    const { data } = await service.send<DownloadResult>('GET', `/downloads/${path}`);
    const job = await service.send<JobDetails>('GET', `/api/downloads/${path}/job`);
    const lines = isJson ? [jsonText({ ...data, job })] : detailsOf(data, job);
    for (const line of lines) display.print(line);
  });
}

/** The fields of a result with a list that the command uses. */
interface ItemsPage extends JobAnswer {
  readonly videos?: readonly object[];
  readonly posts?: readonly object[];
  readonly reels?: readonly object[];
  readonly next_cursor?: string | null;
}

export function printItems(connection: Connection, { ids }: JobsArguments): Promise<number> {
  const { service, display } = connection;
  return forEach(connection, ids, async (id) => {
    const path = `/api/downloads/${encodeURIComponent(id)}/result`;
    let cursor: string | null | undefined;
    do {
      const query = { limit: String(ITEMS_PAGE), ...(typeof cursor === 'string' ? { cursor } : {}) };
      const page = await service.send<ItemsPage>('GET', path, { query });
      if (isRunning(page)) throw new FailedError('The job has not ended.');
      const failure = failureOf(page);
      if (failure !== undefined) throw new FailedError(failure);
      const { videos = [], posts = [], reels = [] } = page;
      for (const item of [...videos, ...posts, ...reels]) display.print(jsonText(item));
      cursor = page.next_cursor;
    } while (typeof cursor === 'string');
  });
}

export function cancelJobs(connection: Connection, { ids, isJson }: JobsArguments): Promise<number> {
  return forEach(connection, ids, async (id) => {
    const path = `/downloads/${encodeURIComponent(id)}`;
    const { data } = await connection.service.send<DownloadResult>('DELETE', path);
    connection.display.print(isJson ? jsonText(data) : rowOf(data));
  });
}

export function uploadFiles(connection: UploadTarget, { paths, isJson }: ParsedAs<'upload'>): Promise<number> {
  return forEach(connection, paths, async (path) => {
    const { data } = await uploadFile(connection, path);
    if (data.status === 'failed') throw new FailedError(data.response ?? 'The upload failed.');
    connection.display.print(isJson ? jsonText(data) : rowOf(data));
  });
}

/** Sends a sample to a webhook URL. @throws FailedError when the receiver does not accept it */
export async function testWebhook(
  { service, display }: Connection,
  { url, isJson }: ParsedAs<'webhook test'>,
): Promise<number> {
  const body = await service.send<WebhookTestResult>('POST', '/api/webhook/test', { body: { url } });
  if (isJson) display.print(jsonText(body));
  if (body.status !== 'success') throw new FailedError(body.message);
  if (!isJson) display.print(body.message);
  return EXIT.success;
}

/** Handles the IDs one by one. A failure is reported, and the others continue. */
export async function forEach(
  { service, display }: Connection,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<number> {
  let code: number = EXIT.success;
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      service.signal.throwIfAborted();
      code = Math.max(code, exitCodeOf(error));
      display.note(`${id}: ${sentenceOf(error)}`, 'problem');
    }
  }
  return code;
}

function rowOf({ id, created_at, type, status, cost, title, media_id, response, progress }: DownloadRecord): string {
  const state = status === 'pending' && progress !== undefined ? progressText(progress) : (response ?? '');
  const time = `${created_at.slice(0, 10)} ${created_at.slice(11, 16)} UTC`;
  return [id, time, type.padEnd(17), status.padEnd(7), cost, title ?? media_id, state].join('  ').trimEnd();
}

function detailsOf(
  record: DownloadRecord,
  { title, failure, files, workflow, finished_at: end }: JobDetails,
): readonly string[] {
  const { id, type, status, media_id, cost, created_at, duration, progress } = record;
  const facts = Object.entries({
    ...{ id, type, status, media: media_id, title, duration, cost, created: created_at, finished: end },
    progress: progress && progressText(progress),
    failure: failure && `${failure.message} (${failure.code})`,
    workflow: workflow.url ?? workflow.id,
  });
  const lines = facts.flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name.padEnd(10)}${value}`],
  );
  return [
    ...lines,
    ...files.map(({ name, size_bytes, sha256 }) => `file      ${name}, ${String(size_bytes)} bytes, SHA-256 ${sha256}`),
  ];
}
