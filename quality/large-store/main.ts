// npm run large-store -- FOLDER [COUNT]: fills a database with that many ended downloads, each with contents and a webhook, and
// measures what goes over all of them: listings, retention, indexes and the start. What is filled already stays.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { createRetentionActivities } from '../../activities/retention.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startMongodb, ensureMongodbServer } from '../../local/engines/mongodb-server.ts';
import { mongodbAddress } from '../../local/engines/ports.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { createDeliveryStore } from '../../store/records/delivery-store.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { createKeyDownloadStore } from '../../store/accounts/key-downloads.ts';
import { createIndexes } from '../../store/mongo/indexes.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import { createExpiredDocuments } from '../../store/records/expired-documents.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { fill, KEY, SPAN_DAYS } from './fill.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const [folder, size = '100000'] = positionals;
if (folder === undefined) {
  console.error(
    'usage: npm run large-store -- FOLDER [COUNT]; with MONGODB_URI on that server, in the database large-store',
  );
  process.exit(2);
}
const count = Number(size);
const DAY_MS = 24 * 3_600_000;
const log = (line: string): void => console.error(line);

const started = performance.now();
const server = process.env['MONGODB_URI'] === undefined ? await startServer(resolve(folder)) : undefined;
const uri = server?.uri ?? process.env['MONGODB_URI'] ?? '';
const mongo = openMongo({ uri, database: 'large-store', timeoutMs: 60_000 });
await mongo.ping();
console.log(`server started and answers: ${seconds(started)}`);

async function startServer(stateDir: string) {
  const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log };
  const { value } = await ensureMongodbServer(setup, stateDir);
  const address = await mongodbAddress({}, stateDir);
  const daemon = await startMongodb({ server: value, env: process.env, stateDir, address, log });
  return { uri: address.uri, daemon };
}

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(2)} s`;
}

/** Peak of resident memory, of this process and of the server where it is ours. */
async function peaks(): Promise<string> {
  const of = async (pid: number | undefined): Promise<string> => {
    const status = pid === undefined ? '' : await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
    const [, kib = '0'] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
    return `${(Number(kib) / 1024).toFixed(0)} MiB`;
  };
  return `peak memory: server ${await of(server?.daemon.pid())}, client ${await of(process.pid)}`;
}

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const since = performance.now();
  const result = await work().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  console.log(`${what}: ${seconds(since)} (${String(result)})`);
}

const { db } = mongo;
const filled = performance.now();
await fill(db, count, log);
console.log(`${String(count)} downloads filled: ${seconds(filled)}`);
console.log(await peaks());

await measure('indexes', () => createIndexes(db).then(() => 'done'));
await measure('indexes again', () => createIndexes(db).then(() => 'done'));
const records = createRecordStore(db);
const deliveries = createDeliveryStore(db);
const limit = 50;
const length = async (list: Promise<readonly unknown[]>): Promise<string> => `${String((await list).length)} entries`;
await measure('newest downloads', () => length(records.list({ limit })));
const middle = (await records.list({ limit: 1, createdBefore: new Date(Date.now() - 180 * DAY_MS).toISOString() }))[0];
await measure('a page in the middle', () => length(records.list({ limit, before: middle?.id })));
await measure('failed downloads (2 %)', () => length(records.list({ limit, status: 'failed' })));
await measure('what is under way (none)', () => length(records.list({ limit, status: 'pending' })));
await measure('downloads of one medium (1)', () => length(records.list({ limit, mediaId: 'medium00007' })));
await measure('downloads without a key (half)', () => length(records.list({ limit, isWithoutKey: true })));
await measure('downloads of a key', () => length(createKeyDownloadStore(db).list(KEY, { limit })));
await measure('webhooks of a key', () => length(deliveries.list({ subscribedBy: KEY, limit })));
await measure('webhooks that were given up (1 %)', () => length(deliveries.list({ state: 'abandoned', limit })));
console.log(await peaks());

await measure('a download from its beginning to its end', async () => {
  const id = ulid();
  const createdAt = nowMicroseconds();
  const job = {
    ...{ recordId: id, subjectId: `audio/${id}`, mediaId: id, price: 5, createdAt },
    type: 'audio',
    startedBy: 'anonymous',
  } as const;
  await records.insertIfAbsent(pendingRecordOf(job));
  const failure = { code: 'private', message: 'The video is private.' } as const;
  return (await finishRecord(records, id, { status: 'failed', failure })).status;
});

const keepDays = { contents: SPAN_DAYS, failed: SPAN_DAYS };
const { sweepKept } = createRetentionActivities({
  ...{ records, files: {} as FileStore, workFolders: createWorkFolders(join(folder, 'work')), keepDays },
  ...{ isOpen: () => Promise.resolve(false), retentionDays: undefined, expiredDocuments: createExpiredDocuments(db) },
  now: () => Date.now(),
});
async function sweep(kind: 'contents' | 'failed', days: number): Promise<string> {
  let removed = 0;
  let pages = 0;
  for (let after: string | undefined; ;) {
    const order = { kind, days, confirmedBy: 'the measurement', ...(after !== undefined && { after }) };
    const page: { removed: number; next?: string } = await new MockActivityEnvironment().run(sweepKept, order);
    removed += page.removed;
    pages += 1;
    if (page.next === undefined) return `${String(removed)} removed in ${String(pages)} pages`;
    after = page.next;
  }
}
await measure('retention that finds nothing', () => sweep('contents', SPAN_DAYS + 30));
await measure('retention of failed downloads that finds nothing', () => sweep('failed', SPAN_DAYS + 30));
await measure('retention of the contents of two days', () => sweep('contents', SPAN_DAYS - 2));
console.log(await peaks());
await mongo.close();
await server?.daemon.stop(30_000);
