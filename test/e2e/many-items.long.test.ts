import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchWorkflowIdOf } from '../../contract/batches/batch-state.ts';
import { writeCatalogue } from '../../quality/chaos/catalogue.ts';
import { makeKey } from '../fuzz/key.ts';
import { batchCaller, expectChargedOnce } from '../helpers/batch-run.ts';
import { imgnetIndex } from '../helpers/imgnet.ts';
import { TestService } from '../helpers/service.ts';

/** `BATCH_ITEMS=10000` takes hours on two cores. */
const ITEMS = Number(process.env['BATCH_ITEMS'] ?? 1_000);
const HISTORY_MAX_EVENTS = 10_000;
const SAMPLE_EVERY_MS = 2_000;
const SINGLE_JOBS = 5;
const LIMIT_MS = 60_000 + ITEMS * 5_000;

let service: TestService;
let catalogueDir: string;
let videos: readonly string[];
beforeAll(async () => {
  catalogueDir = await mkdtemp(join(tmpdir(), 'tapedeck-catalogue-'));
  await writeCatalogue(catalogueDir, Math.ceil(ITEMS / 3) + 2 * SINGLE_JOBS);
  service = await TestService.start({ catalogueDir, ownEngines: true });
  videos = service.sandbox.catalogue
    .filter(({ case: kind }) => kind === 'ordinary' || kind === 'silent')
    .map(({ id }) => id);
}, 300_000);
afterAll(async () => {
  await service.stop();
  await rm(catalogueDir, { recursive: true, force: true });
});

async function itemsOf(ids: readonly string[]) {
  const { channels, accounts, posts } = await imgnetIndex(service);
  const few = [
    ...channels.filter((one) => one.case !== 'large').map(({ url }) => ({ operation: 'requestChannel', url })),
    ...accounts.map(({ url }) => ({ operation: 'requestImgnetProfile', url })),
    ...posts.map(({ url }) => ({ operation: 'requestImgnetContent', url })),
  ].slice(0, ITEMS / 4);
  const ofVideos = ids.flatMap((vidnet_video_id) => [
    { operation: 'requestAudio', vidnet_video_id },
    { operation: 'requestTranscript', vidnet_video_id, language: 'en' },
    { operation: 'requestVideo', vidnet_video_id },
  ]);
  return [...few, ...ofVideos].slice(0, ITEMS);
}

async function workerMebibytes(): Promise<number> {
  const pid = service.stack.processes().find(({ name }) => name === 'worker')?.pid;
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

it.runIf(process.platform === 'linux')(
  `a batch of ${String(ITEMS)} items of six kinds ends in bounded histories and memory, and delays no single request`,
  async () => {
    const [single, many] = [await makeKey(service.stack), await makeKey(service.stack)];
    const spare = videos.slice(0, 2 * SINGLE_JOBS);
    const items = await itemsOf(videos.slice(spare.length));
    expect(items).toHaveLength(ITEMS);
    const headers = { authorization: `Bearer ${single}` };
    const secondsOf = async (vidnet_video_id: string): Promise<number> => {
      const begun = performance.now();
      const path = '/api/downloads/audio';
      const { body } = await service.request<{ data: { id: string } }>('POST', path, {
        headers,
        body: { vidnet_video_id },
      });
      expect(await service.ended(body.data.id, LIMIT_MS)).toMatchObject({ status: 'success' });
      return (performance.now() - begun) / 1000;
    };
    const idle: number[] = [];
    for (const id of spare.splice(0, SINGLE_JOBS)) idle.push(await secondsOf(id));

    const caller = batchCaller(service, { authorization: `Bearer ${many}` });
    const begun = performance.now();
    const { id } = (await caller.start({ items, name: 'Many' })).body;
    const memory: number[] = [];
    const busy: number[] = [];
    for (;;) {
      const { body } = await caller.get(id);
      if (body.status === 'finished') break;
      const ended = ITEMS - body.counts.waiting - body.counts.running;
      memory.push(await workerMebibytes());
      const next = ended > ITEMS / 4 ? spare.shift() : undefined;
      if (next !== undefined) busy.push(await secondsOf(next));
      expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
      await delay(SAMPLE_EVERY_MS);
    }
    const { body: batch } = await caller.get(id);
    expect(batch.counts).toMatchObject({ waiting: 0, running: 0, cancelled: 0 });
    const quarter = Math.floor(memory.length / 4);
    const [early, late] = [mean(memory.slice(quarter, 2 * quarter)), mean(memory.slice(-quarter))];

    const connection = await Connection.connect({ address: service.stack.temporalAddress });
    const client = new Client({ connection });
    let longest = 0;
    let jobs = 0;
    for await (const run of client.workflow.list({ query: `TapedeckBatchId = '${id}'` })) {
      longest = Math.max(longest, run.historyLength);
      if (run.workflowId !== batchWorkflowIdOf(id)) jobs += 1;
    }
    await connection.close();
    const facts = {
      minutes: (performance.now() - begun) / 60_000,
      counts: batch.counts,
      idle,
      busy,
      early,
      late,
      longest,
    };
    process.stdout.write(`${JSON.stringify(facts)}\n`);
    expect(jobs).toBe(ITEMS);
    expect(longest).toBeLessThan(HISTORY_MAX_EVENTS);
    expect(late / early).toBeLessThan(1.1);
    expect(spare).toEqual([]);
    expect(median(busy)).toBeLessThan(2 * median(idle));

    const all = await caller.items(id);
    expect(new Set(all.map(({ record }) => record?.id)).size).toBe(ITEMS);
    const mongo = await MongoClient.connect(service.stack.mongodbUri);
    try {
      await expectChargedOnce(mongo.db(service.stack.env['MONGODB_DATABASE']), { caller, cost: batch.cost });
    } finally {
      await mongo.close();
    }
  },
  2 * LIMIT_MS,
);
