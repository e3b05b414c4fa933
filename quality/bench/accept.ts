// How long accepting a job takes, at a steady rate and with no worker, beside what cannot be avoided: starting the bare
// workflow and writing one record. Both are measured in turn, in one run, so that the ratio holds on a noisy machine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { ulid } from 'ulid';
import { startStack } from '../../local/stack.ts';

/** Of each kind. */
const RATE_PER_SECOND = 20;
const REQUESTS = Number(process.argv[2] ?? 400);

const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-bench-'));
const stack = await startStack({
  env: { ...process.env, RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' },
  dataDir,
  roles: ['api'],
  ports: 'free',
  log: () => undefined,
  output: { dir: dataDir },
});
const mongo = await MongoClient.connect(stack.mongodbUri);
const connection = await Connection.connect({ address: stack.temporalAddress });
const client = new Client({ connection });
const bareRecords = mongo.db('bench').collection<{ _id: string }>('records');

const timings: Record<'tapedeck' | 'bare', number[]> = { tapedeck: [], bare: [] };
const kinds = {
  tapedeck: async (): Promise<void> => {
    const body = JSON.stringify({ vidnet_video_id: ulid().slice(-11) });
    const response = await fetch(`${stack.restUrl}/api/downloads/audio`, { method: 'POST', body });
    await response.text();
    if (response.status !== 202) throw new Error(`answered ${String(response.status)}`);
  },
  bare: async (): Promise<void> => {
    const id = ulid();
    await client.workflow.start('audio', { workflowId: id, taskQueue: 'nobody', args: [{ id }] });
    await bareRecords.insertOne({ _id: id });
  },
};

try {
  for (const kind of ['tapedeck', 'bare'] as const) for (let warm = 0; warm < 20; warm += 1) await kinds[kind]();
  const running: Promise<void>[] = [];
  const start = performance.now();
  for (let index = 0; index < REQUESTS; index += 1) {
    // An open loop: a slow answer does not delay the next request, so that stalls are seen.
    await delay(Math.max(0, start + (index * 1000) / (2 * RATE_PER_SECOND) - performance.now()));
    const kind = index % 2 === 0 ? 'tapedeck' : 'bare';
    const begun = performance.now();
    running.push(kinds[kind]().then(() => void timings[kind].push(performance.now() - begun)));
  }
  await Promise.all(running);
  const row = (name: string, values: number[]): string =>
    `${name.padEnd(10)} median ${at(values, 0.5)} ms   p99 ${at(values, 0.99)} ms   n ${String(values.length)}`;
  console.log(`${String(RATE_PER_SECOND)} starts a second, no worker`);
  console.log(row('tapedeck', timings.tapedeck));
  console.log(row('bare', timings.bare));
  console.log(`ratio of medians ${(Number(at(timings.tapedeck, 0.5)) / Number(at(timings.bare, 0.5))).toFixed(2)}`);
} finally {
  await connection.close();
  await mongo.close();
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}

function at(values: readonly number[], quantile: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0).toFixed(1);
}
