import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { RecordType } from '../../contract/records.ts';
import type { DeliveryList } from '../../contract/deliveries.ts';
import { imgnetListSchema } from '../../contract/kinds/imgnet-list.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { BUILT_IN_CATALOGUE, startSandbox, type Sandbox } from '../../local/sandbox/server.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { runTool } from './media.ts';
import { asThen } from './since-then.ts';
import { until } from './until.ts';

const FIXTURE = join(import.meta.dirname, '../fixtures/4da8403');
/** Where the recorded webhooks lead: below the ports that systems hand out by themselves. */
const HOOKS_PORT = 20_913;
const PUBLIC_URL = 'https://media.example.com';
/** All that there were. */
const KINDS: readonly RecordType[] = [
  'audio',
  'captions',
  'imgnet_audio',
  'imgnet_list_posts',
  'imgnet_list_reels',
  'imgnet_post',
  'imgnet_profile',
  'list',
  'speaker_labels',
  'vidnet_video',
];
const LINK = /(https:\/\/media\.example\.com\/files\/[^?"\s]+)\?[^"\s]+/g;

interface Call {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** By the key in the file `api-key` of the data folder. */
  readonly byKey?: boolean;
}

interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What answers.json holds. */
interface Recorded {
  readonly answers: readonly (Call & { readonly status: number; readonly text: string })[];
  /** The ended jobs as they were listed, newest first, a JSON array. */
  readonly listing: string;
  /** By path and download. */
  readonly webhooks: Readonly<Record<string, Message>>;
  readonly running: readonly { readonly id: string; readonly type: string; readonly media_id: string }[];
  /** Webhooks that had been refused and were to be tried again. */
  readonly undelivered: readonly string[];
  /** By path of the link. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** Links are signed anew each time. */
const unsigned = (text: string): string => text.replaceAll(LINK, '$1');

const told = ({ method = 'GET', path, body, byKey }: Call): string =>
  [method, path, ...(body === undefined ? [] : [JSON.stringify(body)]), byKey === true ? 'with a key' : ''].join(' ');

function hookOf(path: string, headers: IncomingHttpHeaders): string {
  return `${path} ${String(headers['x-webhook-download-id'])}`;
}

/** Starts this version on a data folder of an older one. @param withWorker whether its jobs and webhooks go on, too */
export function describeTakeover({ withWorker }: { readonly withWorker: boolean }): void {
  let recorded: Recorded;
  let dataDir: string;
  let key: string;
  let sandbox: Sandbox;
  let stack: Stack;
  let receiver: Server | undefined;
  const received = new Map<string, Message>();

  beforeAll(async () => {
    recorded = JSON.parse(await readFile(join(FIXTURE, 'answers.json'), 'utf8')) as Recorded;
    dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-takeover-'));
    await runTool('tar', ['-xzf', join(FIXTURE, 'data.tar.gz'), '-C', dataDir]);
    key = await readFile(join(dataDir, 'api-key'), 'utf8');
    // Nobody else posts anything.
    if (withWorker) receiver = await startHooks();
    const { ffmpeg, ffprobe } = inject('tools');
    const ytdlp = inject('ytdlp');
    const log = (): void => undefined;
    sandbox = await startSandbox({
      catalogueDir: BUILT_IN_CATALOGUE,
      cacheDir: join(defaultCacheDir(process.env), 'sandbox'),
      port: 0,
      ffmpeg,
      ffprobe,
      log,
    });
    stack = await startStack({
      env: {
        ...process.env,
        // Engines of its own: their data are in the folder.
        TEMPORAL_ADDRESS: '',
        MONGODB_URI: '',
        MONGODB_DATABASE: '',
        TASK_QUEUE: '',
        RETENTION_DAYS: '',
        YTDLP_PATH: ytdlp,
        FFMPEG_PATH: ffmpeg,
        FFPROBE_PATH: ffprobe,
        SPEECH_ENGINE: 'builtin',
        PUBLIC_URL,
        ALLOW_ANONYMOUS: 'true',
        RATE_LIMIT_PER_MINUTE: '100000',
        VIDNET_STARTS_PER_MINUTE: '6000',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        ...sandbox.env,
      },
      dataDir,
      roles: withWorker ? ['api', 'worker'] : ['api'],
      ports: 'free',
      log,
      output: { dir: dataDir },
    });
  }, 20 * 60_000);
  afterAll(async () => {
    await stack.stop();
    await sandbox.stop();
    receiver?.closeAllConnections();
    receiver?.close();
    if (process.env['KEEP_E2E'] === undefined) await rm(dataDir, { recursive: true, force: true });
  });

  async function startHooks(): Promise<Server> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        received.set(hookOf(request.url ?? '', request.headers), { headers: request.headers, body });
        response.end();
      });
    });
    // Another run of the tests on this machine may have the port for a while.
    const listen = (): Promise<boolean> =>
      new Promise((resolve) => {
        server.once('error', () => resolve(false)).listen(HOOKS_PORT, '127.0.0.1', () => resolve(true));
      });
    await until(listen, { within: 300_000, what: `port ${String(HOOKS_PORT)}` });
    return server;
  }

  async function ask({ method = 'GET', path, body, byKey = false }: Call): Promise<{ status: number; text: string }> {
    const response = await fetch(stack.restUrl + path, {
      method,
      headers: byKey ? { Authorization: `Bearer ${key}` } : {},
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  /** The recorded requests, made again, once. */
  let asked: Promise<{ call: Recorded['answers'][number]; status: number; text: string }[]> | undefined;
  async function askAll(): Promise<{ call: Recorded['answers'][number]; status: number; text: string }[]> {
    const answers = [];
    for (const call of recorded.answers) answers.push({ call, ...(await ask(call)) });
    return answers;
  }
  const answersNow = () => (asked ??= askAll());

  it('a data folder of an older version is answered from as then, to the character, apart from the signatures of links and from fields added since', async () => {
    for (const { call, status, text } of await answersNow()) {
      const then = unsigned(call.text);
      expect
        .soft(`${String(status)} ${asThen(unsigned(text), then)}`, told(call))
        .toBe(`${String(call.status)} ${then}`);
    }
  }, 120_000);

  it('a data folder of an older version is listed as then, each job for whom it was started for: the key, or all who have none', async () => {
    const listings = await Promise.all(
      [false, true].map(async (byKey) => {
        const { text } = await ask({ path: '/api/downloads?limit=100', byKey });
        return (JSON.parse(unsigned(text)) as { downloads: { id: string }[] }).downloads;
      }),
    );
    const ended = listings.flat().filter(({ id }) => unsigned(recorded.listing).includes(`"id":"${id}"`));
    ended.sort((one, other) => (one.id < other.id ? 1 : -1));
    const then = unsigned(recorded.listing);
    expect(asThen(JSON.stringify(ended), then, 'record')).toBe(then);
  });

  it('a data folder of an older version has every file behind a new link, whole', async () => {
    const links = new Map<string, URL>();
    for (const { text } of await answersNow()) {
      for (const [link] of text.matchAll(LINK)) links.set(new URL(link).pathname, new URL(link));
    }
    expect([...links.keys()].sort()).toEqual(Object.keys(recorded.files).sort());
    for (const [path, { search }] of links) {
      const response = await fetch(stack.restUrl + path + search);
      const bytes = Buffer.from(await response.arrayBuffer());
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect({ status: response.status, bytes: bytes.length, sha256 }, path).toEqual({
        status: 200,
        ...recorded.files[path],
      });
    }
  }, 120_000);

  if (!withWorker) return;

  it('a data folder of an older version delivers its webhooks again as they were delivered then, also those of what is no longer fresh', async () => {
    for (const byKey of [false, true]) {
      const listed = await ask({ path: '/api/webhook/deliveries?limit=100', byKey });
      for (const { id, download_id } of (JSON.parse(listed.text) as DeliveryList).deliveries) {
        if (recorded.running.some((job) => job.id === download_id)) continue;
        await ask({ method: 'POST', path: `/api/webhook/deliveries/${id}/redeliver`, byKey });
      }
    }
    const hooks = Object.entries(recorded.webhooks);
    await until(() => hooks.every(([hook]) => received.has(hook)), { within: 60_000, what: 'all webhooks' });
    for (const [hook, message] of hooks) {
      const told = unsigned(received.get(hook)?.body ?? '');
      const then = unsigned(message.body);
      if (message.headers['x-webhook-endpoint'] === 'imgnet/list') {
        // Those had their own part alone.
        const { posts, reels, downloads } = imgnetListSchema.parse(JSON.parse(told));
        expect.soft([posts.length === 0, reels.length === 0].sort(), hook).toEqual([false, true]);
        expect.soft([downloads.posts.status, downloads.reels.status], hook).toEqual(['success', 'success']);
        expect.soft(JSON.parse(told), hook).toMatchObject(JSON.parse(then) as object);
      } else expect.soft(asThen(told, then), hook).toBe(then);
      expect.soft(received.get(hook)?.headers, hook).toMatchObject(message.headers);
    }
  }, 120_000);

  it('a data folder of an older version goes on with the jobs that were accepted or at work, to their success and their webhooks', async () => {
    expect([...new Set(recorded.running.map(({ type }) => type))].sort()).toEqual(KINDS);
    for (const { id, type, media_id } of recorded.running) {
      const what = `the end of ${type} ${media_id}`;
      const { text } = await until(
        async () => {
          const answer = await ask({ path: `/downloads/${id}` });
          return answer.status === 200 ? answer : undefined;
        },
        { within: 240_000, what },
      );
      expect.soft(JSON.parse(text), what).toMatchObject({ data: { id, status: 'success' } });
    }
    const hooks = () => [...received.keys()].filter((hook) => /^\/(running|accepted)\//.test(hook));
    await until(() => hooks().length === recorded.running.length, { within: 60_000, what: 'the webhooks of all' });
    expect([...received.keys()]).toEqual(expect.arrayContaining([...recorded.undelivered]));
  }, 600_000);
}
