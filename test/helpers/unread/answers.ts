import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { ApiProcessOptions, MemoryReport } from './api-process.ts';
import { createLinkSigner } from '../../../store/files/link-signer.ts';
import { startFacades, type Facades } from '../rest-app.ts';
import { keepChannel, keepPosts, keepTranscript } from './large-answers.ts';
import { ask } from './reader.ts';

type MeasuredApi = Awaited<ReturnType<typeof startMeasuredApi>>;

/** Starts the API as a process of its own, so that what it holds is not mixed up with what the test does. */
async function startMeasuredApi(options: ApiProcessOptions) {
  const script = new URL('api-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--expose-gc', script, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.setMaxListeners(0);
  const message = async <Message>(): Promise<Message> => {
    const [received] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the process of the API has ended'))),
    ])) as [Message];
    return received;
  };
  return {
    ...(await message<{ url: string; rpcUrl: string }>()),
    /** @param holdBytes how much more the process allocates before it reports */
    async memory(holdBytes = 0) {
      const answer = message<MemoryReport>();
      child.send(holdBytes);
      return answer;
    },
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

const MB = 1 << 20;
const SOCKETS = 20;
const LIMIT_MB = 150;
export type LargeAnswer =
  'transcript' | 'export' | 'channel' | 'list' | 'file' | 'transcript over tRPC' | 'channel over tRPC';

/** What large answers cost that nobody reads. */
export function unreadAnswers(requested: readonly LargeAnswer[]): void {
  const database = `unread-${randomUUID().slice(0, 8)}`;
  let facades: Facades;
  let filesDir: string;
  let api: MeasuredApi;
  /** Requests by kind: a path of REST, or of tRPC. */
  let kinds: Record<
    string,
    { readonly rpc?: boolean; readonly path: string; readonly method?: string; readonly body?: string }
  >;

  beforeAll(async () => {
    facades = await startFacades(undefined, { database });
    filesDir = await mkdtemp(join(tmpdir(), 'tapedeck-unread-'));
    const file = { recordId: ulid(), name: 'tea.m4a' };
    await mkdir(join(filesDir, file.recordId));
    await writeFile(join(filesDir, file.recordId, file.name), Buffer.alloc(40 * MB));
    const signer = createLinkSigner({ secrets: ['s'.repeat(32)], driveUrl: 'http://drive.example', ttlSeconds: 600 });
    const link = new URL(signer.linkTo(file.recordId, file.name));
    const id = await keepTranscript(facades, 8);
    const channel = await keepChannel(facades, 10_000);
    const posts = requested.includes('list') ? await keepPosts(facades, 4_000) : '';
    const input = encodeURIComponent(JSON.stringify({ download_id: id }));
    kinds = {
      transcript: { path: `/api/transcripts/${id}` },
      export: { path: `/api/transcripts/${id}.txt` },
      channel: { method: 'POST', path: '/api/channel/profile', body: channel },
      list: { method: 'POST', path: '/api/imgnet/list', body: posts },
      file: { path: link.pathname + link.search },
      'transcript over tRPC': { rpc: true, path: `/transcripts.get?input=${input}` },
      'channel over tRPC': { rpc: true, method: 'POST', path: '/channels.profile', body: channel },
    };
    api = await startMeasuredApi({ mongodbUri: inject('mongodbUri'), database, filesDir, rpcToken: facades.rpcToken });
  });
  afterAll(async () => {
    await api.stop();
    await facades.close();
    await rm(filesDir, { recursive: true });
  });

  /**
   * Asks with so many sockets that read nothing,
   * and tells what that costs the process, and how long /live took meanwhile, the slowest first.
   */
  async function cost(kind: string, headersOf: (index: number) => Record<string, string> = () => ({})) {
    const { rpc = false, path, ...request } = kinds[kind]!;
    const url = (rpc ? api.rpcUrl : api.url) + path;
    const contentType = {
      'Content-Type': 'application/json',
      ...(rpc ? { Authorization: `Bearer ${facades.rpcToken}` } : {}),
    };
    let tookMs: number[] = [];
    const probe = async (): Promise<void> => {
      const sinceMs = performance.now();
      await (await fetch(`${api.url}/live`)).text();
      tookMs.push(performance.now() - sinceMs);
    };
    // What is done for the first time takes longer.
    const init = { method: request.method ?? 'GET', headers: contentType };
    await vi.waitFor(async () => {
      const whole = await fetch(url, request.body === undefined ? init : { ...init, body: request.body });
      await whole.arrayBuffer();
      // The api may not have seen yet that the sockets of the case before are gone, and count what they did not read.
      expect(whole.status).toBe(200);
    }, 20_000);
    const before = await api.memory();
    await probe();
    tookMs = [];
    const readers = await Promise.all(
      Array.from({ length: SOCKETS }, (_, index) =>
        ask(url, { ...request, headers: { ...contentType, ...headersOf(index) } }),
      ),
    );
    const heads = Promise.all(readers.map((reader) => reader.head()));
    const over = heads.then(() => true);
    do await probe();
    while (!(await Promise.race([over, Promise.resolve(false)])));
    // What was not written with the heads.
    for (let looks = 0; looks < 20; looks += 1) await probe();
    const after = await api.memory();
    for (const { socket } of readers) socket.destroy();
    const statuses = (await heads).map((head) => Number(head.slice(9, 12)));
    const grownMB = (after.retainedBytes - before.retainedBytes) / MB;
    return { statuses, grownMB, tookMs: tookMs.sort((a, b) => b - a) };
  }

  it('the measure of memory sees what is held', async () => {
    const before = await api.memory();
    const after = await api.memory(200 * MB);
    expect((after.retainedBytes - before.retainedBytes) / MB).toBeGreaterThan(LIMIT_MB);
  });

  describe('20 sockets that ask for a large answer and read nothing cost little memory', () => {
    it.each(requested)('of one caller: %s', async (kind) => {
      const { statuses, grownMB, tookMs } = await cost(kind);
      expect(statuses).toContain(200);
      expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
      expect(grownMB).toBeLessThan(LIMIT_MB);
      // Others are not held up. Half of them, since a busy machine makes some wait by itself.
      expect(tookMs[Math.floor(tookMs.length / 2)]).toBeLessThan(200);
    });

    it('of 20 callers', async () => {
      const { statuses, grownMB } = await cost('transcript', (index) => ({
        'X-Forwarded-For': `192.0.2.${String(index)}`,
      }));
      expect(statuses).toContain(200);
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(grownMB).toBeLessThan(LIMIT_MB);
    });
  });
}
