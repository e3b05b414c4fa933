import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { DownloadList } from '../../contract/kinds/kinds.ts';
import { failureFor } from '../../contract/failures.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import { makeKey } from '../fuzz/key.ts';
import { imgnetIndex, postUrl } from '../helpers/imgnet.ts';
import { ROOT } from '../helpers/markdown.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const execute = promisify(execFile);
const GRANTED = 1_000_000;
/** Slow enough to be under way for as long as the copy takes. */
const SLOW = 1_000;

interface Result {
  readonly data: { readonly id: string; readonly status: string };
}

let folder: string;
let first: TestService;
let headers: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-backup-'));
  first = await TestService.start();
  headers = { authorization: `Bearer ${await makeKey(first.stack, GRANTED)}`, prefer: 'wait=60' };
}, 120_000);
afterAll(async () => {
  await first.stop();
  await rm(folder, { recursive: true, force: true });
});

const ask = (service: TestService, path: string, body: object) =>
  service.request<Result>('POST', `/api/${path}`, { headers, body });
/** As any caller reads it, but for what each answer has anew. */
const read = async (service: TestService, id: string): Promise<string> => {
  const { body } = await service.request('GET', `/api/downloads/${id}/result`, { headers });
  return JSON.stringify(body).replaceAll(/https?:\/\/127\.0\.0\.1:\d+\/(\w+\/[^"?]*)\?[^"]*/g, '$1');
};
const linksIn = async (service: TestService, id: string): Promise<readonly string[]> => {
  const { body } = await service.request('GET', `/downloads/${id}`, { headers });
  return JSON.stringify(body).match(new RegExp(`${service.stack.restUrl}/[^"]+`, 'g')) ?? [];
};
const command = (what: 'backup' | 'restore', env: Readonly<Record<string, string | undefined>>) =>
  execute(process.execPath, ['operator/backup/main.ts', what, join(folder, 'copy')], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });

it('what was answered before a backup under load is served after its restore elsewhere, links too; what ran then says why it failed', async () => {
  const imgnet = await imgnetIndex(first);
  const video = (kind: string, index = 0) => ({ vidnet_video_id: first.videoId(kind, index) });
  const requests: readonly (readonly [string, object])[] = [
    ['downloads/audio', video('ordinary')],
    ['downloads/video', video('ordinary')],
    ['transcripts', { ...video('ordinary'), language: 'en' }],
    ['downloads/audio', video('private')],
    ['imgnet/content', { url: postUrl(imgnet, 'carousel') }],
    ['imgnet/profile', { url: imgnet.accounts.find((one) => one.case === 'ordinary')?.url }],
    ['channel/profile', { url: imgnet.channels.find((one) => one.case === 'ordinary')?.url }],
  ];
  const answered = new Map<string, string>();
  for (const [path, body] of requests) {
    // 400: of the one that is private.
    expect([200, 400]).toContain((await ask(first, path, body)).status);
  }
  const { body: listed } = await first.request<DownloadList>('GET', '/api/downloads?limit=100', { headers });
  expect(listed.downloads.length).toBeGreaterThanOrEqual(requests.length);
  for (const { id } of listed.downloads) answered.set(id, await read(first, id));
  const slow = first.videoId('hd720');
  await first.misbehave({ video: slow, target: 'media', mode: 'slow', bytes_per_second: SLOW });
  const slowAsked = { body: { vidnet_video_id: slow }, headers: { authorization: headers['authorization'] ?? '' } };
  const running = await first.request<Result>('POST', '/api/downloads/audio', slowAsked);
  expect(running.status).toBe(202);

  let isOver = false;
  const rest = first.sandbox.catalogue.map(({ id }) => id).filter((id) => id !== slow);
  const load = ['downloads/audio', 'downloads/video', 'transcripts'].map(async (path) => {
    for (let turn = 0; !isOver; turn += 1) {
      const language = path === 'transcripts' ? { language: ['en', 'de', 'fr'][turn % 3] } : {};
      await ask(first, path, { vidnet_video_id: rest[turn % rest.length], ...language });
    }
  });
  const { stdout } = await command('backup', { ...first.stack.env, DATA_DIR: first.dataDir });
  isOver = true;
  await Promise.all(load);
  expect(stdout).toContain('records');

  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-restored-'));
  const database = `${first.stack.env['MONGODB_DATABASE'] ?? ''}-restored`;
  await command('restore', { ...first.stack.env, MONGODB_DATABASE: database, DATA_DIR: dataDir });
  // It signs the links, and is no part of the copy.
  await copyFile(join(first.dataDir, 'link-secret'), join(dataDir, 'link-secret'));
  const second = await TestService.start({ dataDir, env: { ...first.sandbox.env, MONGODB_DATABASE: database } });
  const mongo = openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 10_000 });
  try {
    for (const [id, payload] of answered) expect(await read(second, id)).toBe(payload);
    const { id } = running.body.data;
    const told = (await second.request<Result>('GET', `/downloads/${id}`, { headers })).body;
    expect(told.data.status).toBe('failed');
    expect(JSON.stringify(told)).toContain(failureFor('lostInRestore').message);
    const records = await createRecordStore(mongo.db).list({ limit: 1_000 });
    expect(records.filter(({ status }) => status === 'pending')).toEqual([]);
    let served = 0;
    for (const record of records) {
      if (record.status !== 'success') continue;
      for (const link of await linksIn(second, record.id)) {
        expect([link, (await fetch(link)).status]).toEqual([link, 200]);
        served += 1;
      }
    }
    expect(served).toBeGreaterThanOrEqual(3);
    await first.misbehave({ video: slow, mode: 'off' });
    // Elsewhere has a Temporal of its own, in which the old job is not.
    await first.request('DELETE', `/downloads/${id}`, { headers });
    await until(async () => {
      const { body } = await first.request<Result>('GET', `/downloads/${id}`, { headers });
      return body.data.status === 'failed';
    });
    const again = await ask(second, 'downloads/audio', { vidnet_video_id: slow });
    expect([again.status, again.body.data.status]).toEqual([200, 'success']);
  } finally {
    await mongo.close();
    await second.stop();
  }
}, 400_000);
