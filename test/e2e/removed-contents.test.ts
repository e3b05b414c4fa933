import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from 'mongodb';
import { loadConfig } from '../../config.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { always, startTranscriptionServer } from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';

/** In the title of the video, and in what is said in it. */
const MARKER = 'Zwetschgendatschi';

let service: TestService;
let receiver: WebhookReceiver;
let mongo: Mongo;
let connection: Connection;
let mediaDir: string;
beforeAll(async () => {
  const garden = fileURLToPath(new URL('../../local/sandbox/catalogue/media/garden/140.m4a', import.meta.url));
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  await mkdir(mediaDir, { recursive: true });
  await copyFile(garden, join(mediaDir, `${MARKER}.m4a`));
  const words = await startTranscriptionServer({ product: 'whisper-1', instead: always(`One says ${MARKER}.`) });
  service = await TestService.start({ mediaDir, env: { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url } });
  receiver = await startWebhookReceiver();
  const { MONGODB_URI: uri = '', MONGODB_DATABASE: database } = loadConfig(service.stack.env);
  mongo = openMongo({ uri, database, timeoutMs: 10_000 });
  connection = await Connection.connect({ address: service.stack.env['TEMPORAL_ADDRESS']! });
}, 5 * 60_000);
afterAll(async () => {
  await connection.close();
  await mongo.close();
  await receiver.close();
  await service.stop();
  await rm(mediaDir, { recursive: true, force: true });
});

/** Contents are stored as gzipped JSON. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, one: unknown) => {
    const { _bsontype: type, base64 } = (one ?? {}) as { readonly _bsontype?: string; readonly base64?: string };
    if (type === undefined || base64 === undefined) return one;
    return gunzipSync(Buffer.from(base64, 'base64')).toString();
  });

async function inDatabase(db: Db): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await db.listCollections().toArray()) {
    for await (const { _id: id, packed, ...fields } of db.collection(name).find()) {
      const unpacked = packed === undefined ? '' : gunzipSync((packed as { value(): Uint8Array }).value()).toString();
      if (textOf(fields).includes(MARKER) || unpacked.includes(MARKER)) found.push(`${name} ${String(id)}`);
    }
  }
  return found;
}

async function inHistories(): Promise<string[]> {
  const { workflow } = new Client({ connection, namespace: service.stack.env['TEMPORAL_NAMESPACE'] ?? 'default' });
  const found: string[] = [];
  // Other services use the same server, some with encrypted payloads.
  const query = `TaskQueue = '${service.stack.env['TASK_QUEUE'] ?? 'tapedeck'}'`;
  for await (const { workflowId, runId, raw } of workflow.list({ query })) {
    // What is being removed may still be listed.
    const history = await workflow
      .getHandle(workflowId, runId)
      .fetchHistory()
      .catch((error: unknown) => {
        if (isGrpcServiceError(error) && error.code === status.NOT_FOUND) return undefined;
        throw error;
      });
    if (history === undefined) continue;
    const bytes = (_name: string, one: unknown): unknown =>
      one instanceof Uint8Array ? Buffer.from(one).toString() : one;
    // Buffers have a method that JSON calls first.
    const plain = (value: unknown): unknown =>
      value instanceof Uint8Array
        ? Buffer.from(value).toString()
        : Array.isArray(value)
          ? value.map(plain)
          : typeof value === 'object' && value !== null
            ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
            : value;
    if (JSON.stringify(plain([history.events, raw.memo]), bytes).includes(MARKER)) found.push(workflowId);
  }
  return found;
}

/** The files of the service, without those of the database engines of other services and the platform. */
async function inFiles(): Promise<string[]> {
  const names = await readdir(service.dataDir, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const one of names) {
    const path = join(one.parentPath, one.name);
    if (one.isFile() && (await readFile(path)).includes(MARKER)) found.push(path);
  }
  return found;
}

it('leaves no byte of removed contents in files, database and histories', { timeout: 5 * 60_000 }, async () => {
  const { id: videoId } = service.sandbox.catalogue.find(({ title }) => title.includes(MARKER))!;
  const page = { url: `${service.sandbox.url}/watch?v=${videoId}` };
  const info = await service.request('POST', '/api/media/info', { body: page, headers: { prefer: 'wait=30' } });
  expect(JSON.stringify(info.body)).toContain(MARKER);
  const audio = await service.finishedAudio(videoId, receiver.url);
  const path = '/api/transcriptspeakerid';
  const body = { transcript_with_speaker_id: audio.id, include_webhook: receiver.url };
  await service.request('POST', path, { body });
  const labels = await until(
    async () => {
      const answer = await service.request('GET', `${path}/${audio.id}`);
      return answer.status === 200 && answer.body;
    },
    { within: 120_000, what: 'the transcript' },
  );
  expect(JSON.stringify(labels)).toContain(MARKER);
  // The test finds what there is.
  const [documents, workflows] = [await inDatabase(mongo.db), await inHistories()];
  expect(documents).toEqual(expect.arrayContaining([`records ${audio.id}`, expect.stringMatching(/^contents /)]));
  expect(workflows).toContain(`audio/${videoId}`);
  expect((await service.filesOnDisk()).published.some((name) => name.startsWith(audio.id))).toBe(true);

  // Until the webhooks are delivered, nothing is removed.
  await until(async () => (await service.request('DELETE', `/api/downloads/${audio.id}/contents`)).status === 200, {
    within: 60_000,
    what: 'the removal',
  });
  expect(receiver.posts).toHaveLength(2);
  expect(await inDatabase(mongo.db)).toEqual([]);
  // Temporal deletes histories in the background.
  await until(async () => (await inHistories()).length === 0, { within: 60_000, what: 'the removal of histories' });
  expect((await service.filesOnDisk()).published.filter((name) => name.startsWith(audio.id))).toEqual([]);
  expect(await inFiles()).toEqual([]);
  expect((await service.request('GET', `${path}/${audio.id}`)).status).toBe(404);
  expect(await service.getDownload(audio.id)).toMatchObject({
    body: { data: { status: 'success', audio_url: null, cost: audio.cost } },
  });
});
