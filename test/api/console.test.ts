import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleFiles } from '../../api/console/console-files.ts';
import { ask } from '../helpers/page-requests.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const SCRIPT = Buffer.from('console.log(1)');
const files: ConsoleFiles = {
  page: '<!doctype html><meta name="csp-nonce" content="__NONCE__" /><meta name="yt-dlp" content="__YTDLP__" />',
  assets: new Map([
    [
      'index-abcd_-12.js',
      { contentType: 'text/javascript; charset=utf-8', bytes: SCRIPT, gzipped: gzipSync(SCRIPT), etag: '"1"' },
    ],
    [
      'licences.md',
      { contentType: 'text/plain; charset=utf-8', bytes: SCRIPT, gzipped: gzipSync(SCRIPT), etag: '"2"' },
    ],
  ]),
};
let loaded = 0;
let ytdlp: () => Promise<string | undefined> = () => Promise.resolve(undefined);
let facades: Facades;
beforeAll(async () => {
  const loadConsole = (): Promise<ConsoleFiles> => {
    loaded += 1;
    return Promise.resolve(files);
  };
  facades = await startFacades(20, { loadConsole, ytdlp: () => ytdlp(), allowsAnonymous: false });
});
afterAll(() => facades.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(facades.url + path, { headers, redirect: 'manual' });

describe('the console', () => {
  it('is the target of the redirect from /, and / names it to programs', async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console']);
    for (const accept of ['*/*', 'application/json']) {
      const program = await get('/', { accept });
      expect([program.status, program.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(program.headers.get('vary')).toBe('Accept');
      const { service, ...links } = (await program.json()) as Record<string, string>;
      expect([service, Object.keys(links)]).toEqual(['tapedeck', ['console', 'docs', 'openapi', 'health']]);
      for (const link of Object.values(links)) expect((await get(new URL(link).pathname)).status).toBe(200);
    }
  });

  it('shows the version and age of yt-dlp if workers have reported it', async () => {
    const versionShown = async (version: () => Promise<string | undefined>): Promise<string | undefined> => {
      ytdlp = version;
      return /<meta name="yt-dlp" content="([^"]*)" \/>$/.exec(await (await get('/console')).text())?.[1];
    };
    const dayAgo = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10).replaceAll('-', '.');
    expect(await versionShown(() => Promise.resolve(dayAgo))).toBe(`${dayAgo}, 1 day old`);
    expect(await versionShown(() => Promise.resolve('"><script>'))).toBe('');
    expect(await versionShown(() => Promise.reject(new Error('away')))).toBe('');
    expect(await versionShown(() => Promise.resolve(undefined))).toBe('');
  });

  it.each([
    '/console',
    '/console/',
    '/console/jobs',
    '/console/jobs/01JD5Z3K6VQ0W8R9T2X4Y6B8CD?with=1',
    '/console/nothing',
  ])('serves one page without a key at %s', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('allows only its own scripts, and styles with a random nonce', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const answer = await get('/console');
        const policy = answer.headers.get('content-security-policy') ?? '';
        const nonce = /content="([^"]+)"/.exec(await answer.text())?.[1] ?? '';
        expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
        expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
        expect(policy).not.toContain('unsafe');
        expect(policy).toContain("frame-ancestors 'none'");
        // Files are served at the configured address.
        expect(policy).toContain("media-src 'self' http://drive.example");
        return nonce;
      }),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(Buffer.from(nonces[0]!, 'base64')).toHaveLength(16);
  });

  it('serves files that browsers cache forever, compressed on request', async () => {
    const path = '/console/assets/index-abcd_-12.js';
    const packed = await get(path, { 'accept-encoding': 'br, gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
    expect(packed.headers.get('x-content-type-options')).toBe('nosniff');
    const plain = await get(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.has('content-encoding')).toBe(false);
    expect(await plain.text()).toBe(String(SCRIPT));
    expect((await get(path, { 'if-none-match': '"1"' })).status).toBe(304);
    // A file without a hash in its name may change.
    expect((await get('/console/assets/licences.md')).headers.get('cache-control')).toBe('no-cache');
    for (const wrong of ['/console/assets/other.js', '/console/assets/', '/console/assets/..%2f..%2fpackage.json']) {
      expect((await get(wrong)).status).toBe(404);
    }
  });

  it('does not count its files towards the rate limit', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await get('/console/assets/index-abcd_-12.js')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('refuses pages of other sites, except links to it', async () => {
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    const link = { ...elsewhere, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const statusOf = async (path: string, headers: Record<string, string>): Promise<number | undefined> =>
      (await ask(Number(new URL(facades.url).port), { path, headers }))?.status;
    expect(await statusOf('/console', link)).toBe(200);
    expect(await statusOf('/', { ...link, accept: 'text/html' })).toBe(302);
    expect(await statusOf('/console', { ...elsewhere, 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await statusOf('/console/assets/index-abcd_-12.js', { ...elsewhere, 'sec-fetch-dest': 'script' })).toBe(403);
  });

  it('can be opened any number of times', async () => {
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await get('/console/jobs')).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('is loaded once, when it is first opened', () => {
    expect(loaded).toBe(1);
  });
});

it('the API works if the console cannot be built, and the console answers 503', async () => {
  const failing = await startFacades(100, { loadConsole: () => Promise.reject(new Error('no vite')) });
  const answer = await fetch(`${failing.url}/console`);
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }]);
  expect((await fetch(`${failing.url}/api/downloads`)).status).toBe(200);
  await failing.close();
});
