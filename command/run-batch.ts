import { setMaxListeners } from 'node:events';
import { TapedeckError } from '../clients/typescript/src/index.ts';
import type { Batch, BatchItem, BatchItems, Resolved } from '../clients/typescript/src/index.ts';
import { inGroups } from '../runtime/in-groups.ts';
import type { ParsedAs } from './arguments.ts';
import type { FetchCommand } from './command-table.ts';
import type { SavedRequest } from './deliver.ts';
import { EXIT, sentenceOf, UsageError } from './exit-codes.ts';
import { deliverOutcome, type RequestForAll } from './fetch-result.ts';
import { forEach, printList, type Connection } from './list-jobs.ts';
import type { Deps, Outcome } from './obtain.ts';
import { planOf } from './plan-downloads.ts';
import { jsonText } from './printable.ts';
import type { JobAnswer } from './read-answer.ts';
import { saveStream } from './save-file.ts';

const RESOLVED_AT_ONCE = 8;
const ITEMS_PAGE = 200;
const VIDEO_ID = /^[\w-]{11}$/;
const VIDEO_OPERATIONS: Readonly<Partial<Record<FetchCommand, string>>> = {
  audio: 'requestAudio',
  video: 'requestVideo',
  transcript: 'requestTranscript',
};

type Wanted = Omit<RequestForAll, 'target'>;

/** Starts a batch. @returns the batch, and the text of each item; undefined if the service knows none of the texts */
async function startBatch({ service, display }: Connection, { command, options, texts }: Wanted) {
  // Each concurrent request adds a listener to the signal.
  setMaxListeners(0, service.signal);
  let hasUnknown = false;
  const textBy = new Map<string, string>();
  const itemOf = async (text: string): Promise<object | undefined> => {
    const operation = VIDEO_OPERATIONS[command];
    if (operation !== undefined && VIDEO_ID.test(text)) {
      const { hasComments, fields } = options;
      return { operation, vidnet_video_id: text, ...(hasComments && { include_comments: true }), ...fields };
    }
    const resolved = await service.send<Resolved>('GET', '/api/resolve', { query: { url: text } });
    const { operation: planned, body } = planOf(command, text, { ...options, resolved }).request;
    return { operation: planned, ...body };
  };
  const found = await inGroups(texts, RESOLVED_AT_ONCE, (text) =>
    itemOf(text).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      hasUnknown = true;
      display.note(sentenceOf(error), 'problem');
      return undefined;
    }),
  );
  for (const [index, item] of found.entries()) {
    const json = JSON.stringify(item);
    // Two spellings of a URL are one job.
    if (item !== undefined && !textBy.has(json)) textBy.set(json, texts[index] ?? '');
  }
  if (textBy.size === 0) return undefined;
  const items = [...textBy.keys()].map((json) => JSON.parse(json) as object);
  const batch = await service.send<Batch>('POST', '/api/batches', { body: { items } });
  display.note(`Batch ${batch.id} has ${String(items.length)} items.`, 'dim');
  return { batch, texts: [...textBy.values()], hasUnknown };
}

/** Follows a batch to its end, or until it is paused. */
async function* follow({ service, display }: Connection, id: string): AsyncGenerator<readonly BatchItem[]> {
  let isFirst = true;
  for await (const { batch, ended } of service.followBatch(id)) {
    const { waiting, running } = batch.counts;
    display.total(batch.items - waiting - running, batch.items);
    yield isFirst ? await endedItems(service, id) : ended;
    isFirst = false;
    if (batch.pause === null) continue;
    throw new TapedeckError(`${batch.pause.message} Continue it by: tapedeck batches resume ${id}`, {
      code: batch.pause.code === 'key_revoked' ? 'unauthorized' : 'insufficient_credit',
    });
  }
}

/** The items that ended before the first event. */
async function endedItems(service: Connection['service'], id: string): Promise<readonly BatchItem[]> {
  const items: BatchItem[] = [];
  for (let cursor: number | null = 0; cursor !== null;) {
    const query = { limit: String(ITEMS_PAGE), cursor: String(cursor) };
    const path = `/api/batches/${id}/items`;
    const page: BatchItems = await service.send<BatchItems>('GET', path, { query });
    items.push(...page.items.filter(({ state }) => state !== 'waiting' && state !== 'running'));
    // Items start in their order, so a page without ends has few behind it, which events report.
    cursor = page.items.every(({ state }) => state === 'waiting') ? null : page.next_cursor;
  }
  return items;
}

/** `--from` of a command that fetches: one batch on the service, and each result as soon as its item has ended. */
export async function fetchByBatch(deps: Deps, wanted: RequestForAll): Promise<number> {
  const { display } = deps;
  const { options } = wanted;
  const started = await startBatch(deps, wanted);
  if (started === undefined) return EXIT.usage;
  const { batch, texts, hasUnknown } = started;
  if (!options.isWaiting) {
    display.print(options.isJson ? jsonText(batch) : batch.id);
    return hasUnknown ? EXIT.usage : EXIT.success;
  }
  const codes = new Map<number, number>();
  for await (const ended of follow(deps, batch.id)) {
    const fresh = ended.filter(({ number }) => !codes.has(number));
    await inGroups(fresh, options.concurrency, async (item) => {
      const text = texts[item.number] ?? '';
      codes.set(item.number, await deliverItem(deps, item, { ...wanted, text }));
    });
  }
  const good = [...codes.values()].filter((code) => code === EXIT.success).length;
  display.note(`${String(good)} of ${String(codes.size)} succeeded`, 'dim');
  return Math.max(hasUnknown ? EXIT.usage : EXIT.success, ...codes.values());
}

async function deliverItem(deps: Deps, item: BatchItem, fetchRequest: SavedRequest): Promise<number> {
  const { record, failure } = item;
  const answer: JobAnswer =
    record === null
      ? { status: 'failed', ...(failure !== null && { message: failure.message, code: failure.code }) }
      : await deps.service.send<JobAnswer>('GET', `/api/downloads/${record.id}/result`);
  const outcome: Outcome =
    item.state === 'success'
      ? { state: 'success', answer, failure: undefined }
      : { state: 'failed', answer, failure: failure?.message ?? 'The job failed.' };
  return deliverOutcome(deps, fetchRequest, outcome);
}

/** `tapedeck batch`: starts a batch, shows its progress, and saves its archive. */
export async function runBatch(
  connection: Connection,
  { archive, ...wanted }: Wanted & Pick<ParsedAs<'batch'>, 'archive'>,
): Promise<number> {
  const { service, display } = connection;
  const { isWaiting, isJson, isForced } = wanted.options;
  const started = await startBatch(connection, wanted);
  if (started === undefined) return EXIT.usage;
  const { id } = started.batch;
  if (isWaiting) {
    for await (const ended of follow(connection, id)) {
      for (const { number, failure } of ended) {
        if (failure !== null) display.note(`${started.texts[number] ?? ''}: ${failure.message}`, 'problem');
      }
    }
  }
  const batch = await service.send<Batch>('GET', `/api/batches/${id}`);
  if (isWaiting && archive !== undefined) {
    await saveStream(archive, await service.archive(id), { isForced, signal: service.signal });
    display.note(`The results are in ${archive}.`, 'dim');
  }
  display.print(isJson ? jsonText(batch) : rowOf(batch));
  const isGood = batch.counts.failed === 0 && batch.counts.cancelled === 0;
  return started.hasUnknown ? EXIT.usage : isGood ? EXIT.success : EXIT.failure;
}

export async function changeBatches(
  connection: Connection,
  { change, ids, limit, isJson }: ParsedAs<'batches'>,
): Promise<number> {
  const { service, display } = connection;
  const show = (batch: Batch): void => display.print(isJson ? jsonText(batch) : rowOf(batch));
  if (change !== undefined) {
    return forEach(connection, ids, async (id) => {
      show(await service.send<Batch>('POST', `/api/batches/${encodeURIComponent(id)}/${change}`, { body: {} }));
    });
  }
  await printList(connection, ['/api/batches', 'batches'], { limit, isJson, rowOf });
  return EXIT.success;
}

function rowOf({ id, created_at, status, items, counts, cost, name, pause }: Batch): string {
  const time = `${created_at.slice(0, 10)} ${created_at.slice(11, 16)} UTC`;
  const states = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${String(count)} ${state}`] : []));
  const facts = [id, time, status.padEnd(10), `${String(items)} items: ${states.join(', ')}`, cost];
  return [...facts, name ?? '', pause?.message ?? ''].join('  ').trimEnd();
}
