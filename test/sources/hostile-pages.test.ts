import type { RequestListener } from 'node:http';
import { BlockList } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILURE_FAULTS, type FailureCode } from '../../contract/failures.ts';
import { startForwardProxy, type ForwardProxy } from '../../outbound/forward-proxy.ts';
import { createYtdlpComments } from '../../sources/vidnet/yt-dlp/yt-dlp-comments.ts';
import { createYtdlpChannels } from '../../sources/vidnet/yt-dlp/yt-dlp-channel.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createTranscriptSource } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import { createYtdlpSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { collect } from '../helpers/promises.ts';
import { rows } from '../helpers/rows.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';
import { warmStarter } from '../helpers/yt-dlp.ts';

/** Far below those of the service, and far above what an honest page takes here. */
const LIMITS = { timeoutMs: 4_000, maxCpuSeconds: 3, maxBytes: 4_000_000 };
/** On a busy machine, with the start of the program and its end after TERM. */
const WITHIN_MS = 20_000;
const HTML = { 'content-type': 'text/html' };
const M3U8 = { 'content-type': 'application/vnd.apple.mpegurl' };

let host: Awaited<ReturnType<typeof serveOnLoopback>>;
let site: RecordedSite;
let guard: ForwardProxy;
let settings: YtdlpSettings;
let requests = 0;
let answer: RequestListener = (_, response) => response.end();

beforeAll(async () => {
  host = await serveOnLoopback((request, response) => {
    requests += 1;
    response.on('error', () => undefined);
    answer(request, response);
  });
  site = await RecordedSite.start();
  const allowedNetworks = new BlockList();
  allowedNetworks.addAddress('127.0.0.1');
  guard = await startForwardProxy({ allowedNetworks, connectTimeoutMs: 5_000, idleTimeoutMs: 30_000 });
  settings = site.settings({ guard, pageLimits: LIMITS });
});
afterAll(async () => {
  await guard.close();
  await host.stop();
  await site.stop();
});

/** Writes until nobody reads any more. */
const endlessly = (chunk: string | Buffer, headers: Record<string, string>): RequestListener => {
  return (_, response) => {
    response.writeHead(200, headers);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
};

const nowAndThen = (text: string, headers: Record<string, string>): RequestListener => {
  return (_, response) => {
    response.writeHead(200, headers);
    const timer = setInterval(() => response.write(text), 250);
    response.on('close', () => clearInterval(timer));
  };
};

const page = (body: string): RequestListener => {
  return (_, response) => response.writeHead(200, HTML).end(body);
};

const inOneAnswer = (body: string) => page(`<!doctype html><html><head><title>x</title>${body}</head></html>`);
const nestedJson = (depth: number): string => '{"@graph":['.repeat(depth) + ']}'.repeat(depth);
const jsonLd = (text: string): string => `<script type="application/ld+json">${text}</script>`;
const bomb = gzipSync(Buffer.alloc(1_500_000_000, '<p>'), { level: 1 });

type Case = readonly [name: string, listener: RequestListener, code: RegExp];
const slow = /^unsupported$/;
const refused = /^(?:unsupported|too_large)$/;
const few: readonly Case[] = [
  ['1.2 MB of nested meta', inOneAnswer('<meta '.repeat(200_000)), slow],
  ['a byte now and then', nowAndThen('x', HTML), slow],
  ['a page without an end', endlessly('<p>word</p>'.repeat(5_000), HTML), /^too_large$/],
];
const more: readonly Case[] = [
  ['redirects without an end, each after a while', redirectSlowly, slow],
  ['a small answer that unpacks to 1.5 GB', unpacks, refused],
  ['1.2 MB of nested iframe', inOneAnswer('<iframe '.repeat(150_000)), slow],
  ['a header line now and then', headersSlowly, slow],
  ['no headers at all', () => undefined, slow],
  ['a playlist without an end', endlessly(`#EXTM3U\n${'#EXTINF:3,\na.ts\n'.repeat(5_000)}`, M3U8), refused],
  ['a playlist of which a line comes now and then', nowAndThen('#EXTM3U\n', M3U8), slow],
  ['JSON-LD that is nested 100,000 deep', inOneAnswer(jsonLd(nestedJson(100_000))), refused],
  ['HTML that is nested 400,000 deep', page('<div>'.repeat(400_000)), refused],
  ['a script with 1 MB of open braces', inOneAnswer(`<script>jwplayer("x").setup({${'{a:'.repeat(300_000)}`), refused],
  ['a chain of playlists', playlists, /^(?:unsupported|live)$/],
];

function redirectSlowly(...[request, response]: Parameters<RequestListener>): void {
  const location = `/${String(Number((request.url ?? '').slice(1)) + 1)}`;
  const timer = setTimeout(() => response.writeHead(302, { location }).end(), 900);
  response.on('close', () => clearTimeout(timer));
}

function headersSlowly(...[request]: Parameters<RequestListener>): void {
  const { socket } = request;
  socket.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket.write('x-word: y\r\n'), 250);
  socket.on('close', () => clearInterval(timer));
}

function unpacks(...[, response]: Parameters<RequestListener>): void {
  response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(bomb);
}

/** Each names a hundred others, and yt-dlp reads the streams of a list one after the other. */
function playlists(...[request, response]: Parameters<RequestListener>): void {
  const names = Array.from({ length: 100 }, (_, index) => `${request.url ?? ''}${String(index)}/a.m3u8`);
  const lines = names.flatMap((name) => ['#EXT-X-STREAM-INF:BANDWIDTH=1', name]);
  response.writeHead(200, M3U8);
  setTimeout(() => response.end(['#EXTM3U', ...lines].join('\n')), 500);
}

async function failureOf(work: Promise<unknown>): Promise<{ code: FailureCode; message: string; ms: number }> {
  const startedMs = performance.now();
  const { code, message } = await work.then(
    () => ({ code: 'none', message: '' }),
    (error: unknown) => error as { code: string; message: string },
  );
  return { code: code as FailureCode, message, ms: performance.now() - startedMs };
}

const starters = [
  ['started for the call', undefined],
  ['kept warm', warmStarter],
] as const;

describe.each(starters)('a yt-dlp that is %s', (_how, starter) => {
  it.each(rows(few, more))('rejects a page that is %s, at once and for good', async (_name, listener, code) => {
    answer = listener;
    // Started before the clock.
    await warmStarter.startOf(settings);
    const failure = await failureOf(
      inFolder((call) =>
        createYtdlpSource({ ...settings, pluginDir: undefined, starter }).fetchPage(
          { url: `${host.url}/1`, format: 'video' },
          { ...call, maxMediaSeconds: 600, onProgress: () => undefined },
        ),
      ),
    );
    expect(failure.code).toMatch(code);
    expect(FAILURE_FAULTS[failure.code]).toBe('subject');
    expect(failure.ms).toBeLessThan(WITHIN_MS);
  });

  it('is ended when it uses too much processor time', async () => {
    answer = inOneAnswer('<meta '.repeat(200_000));
    const pageLimits = { maxCpuSeconds: 2 };
    const source = createYtdlpSource({ ...settings, pluginDir: undefined, starter, pageLimits });
    const failure = await failureOf(
      inFolder((call) =>
        source.fetchPage(
          { url: `${host.url}/1`, format: 'video' },
          { ...call, maxMediaSeconds: 600, onProgress: () => undefined },
        ),
      ),
    );
    expect([failure.code, failure.message]).toEqual([
      'unsupported',
      'The page takes more work than this service spends on it.',
    ]);
  });
});

describe('a page that takes too long', () => {
  it('fails for good, without another request to its site', async () => {
    answer = nowAndThen('x', HTML);
    requests = 0;
    const { message } = await failureOf(
      inFolder((call) =>
        createYtdlpSource({ ...settings, pluginDir: undefined }).fetchPage(
          { url: `${host.url}/1`, format: 'audio' },
          { ...call, maxMediaSeconds: 600, onProgress: () => undefined },
        ),
      ),
    );
    expect(message).toBe('The page took too long to read.');
    expect(requests).toBe(1);
  });

  it('is ended when it exceeds the size of a page, before yt-dlp has it in memory', async () => {
    answer = endlessly('<p>word</p>'.repeat(5_000), HTML);
    const pageLimits = { ...LIMITS, timeoutMs: 60_000, maxCpuSeconds: 60 };
    const { message } = await failureOf(
      inFolder((call) =>
        createYtdlpSource({ ...settings, pluginDir: undefined, pageLimits }).fetchPage(
          { url: `${host.url}/1`, format: 'audio' },
          { ...call, maxMediaSeconds: 600, onProgress: () => undefined },
        ),
      ),
    );
    expect(message).toBe('The page is larger than this service accepts.');
  });

  const reads: readonly ((id: string) => Promise<unknown>)[] = [
    (id) => inFolder((call) => createTranscriptSource(settings).fetch(id, 'en', call)),
    (id) => inFolder((call) => collect(createYtdlpComments(settings).pages(id, 1, call))),
    (id) => inFolder((call) => createYtdlpChannels(settings).describe({ kind: 'handle', name: id }, call)),
    (id) => inFolder((call) => collect(createYtdlpChannels(settings).pages(id, undefined, call))),
  ];
  it('fails for captions, comments and channels too', async () => {
    const hanging = new Promise<never>(() => undefined);
    for (const path of ['slow', '@slow', 'channel/slow']) {
      site.set(`/recorded/${path}`, { body: {}, when: () => hanging });
    }
    const failures = await Promise.all(reads.map((read) => failureOf(read('slow'))));
    for (const { code, message, ms } of failures) {
      // Of the platform, which may recover.
      expect([code, message]).toEqual(['upstream_timeout', expect.stringMatching(/took too long to read/)]);
      expect(ms).toBeLessThan(WITHIN_MS);
    }
  });
});
