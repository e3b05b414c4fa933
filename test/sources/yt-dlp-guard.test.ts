import { createServer, type AddressInfo, type Socket, BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startForwardProxy, type ForwardProxy } from '../../outbound/forward-proxy.ts';
import { createTranscriptSource } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import { createYtdlpSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';

/** Plays a service of our own network: it counts whoever connects. The site is at 127.0.0.1, the only address allowed. */
const INNER = '127.0.0.9';
let hits = 0;
const open = new Set<Socket>();
const canary = createServer((socket) => {
  hits += 1;
  open.add(socket);
  socket.on('error', () => undefined);
  socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret');
});
let inner: string;
let site: RecordedSite;
let guard: ForwardProxy;
let settings: YtdlpSettings;

beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, INNER, resolve));
  inner = `${INNER}:${(canary.address() as AddressInfo).port}`;
  site = await RecordedSite.start();
  const allowedNetworks = new BlockList();
  allowedNetworks.addAddress('127.0.0.1');
  guard = await startForwardProxy({ allowedNetworks, connectTimeoutMs: 5_000, idleTimeoutMs: 10_000 });
  settings = site.settings({ guard });
});
afterAll(async () => {
  await guard.close();
  await site.stop();
  for (const socket of open) socket.destroy();
  await new Promise((resolve) => canary.close(resolve));
});

const audio = (more: object) => ({ format_id: 'a', ext: 'm4a', acodec: 'mp4a.40.2', vcodec: 'none', ...more });
const give = (id: string, more: object): void =>
  site.set(`/recorded/${id}`, { body: { id, title: 'Recorded', duration: 3, ...more } });
const fetchAudio = (id: string) =>
  inFolder((call) =>
    createYtdlpSource(settings).fetchAudio(id, { ...call, maxMediaSeconds: 600, onProgress: () => undefined }),
  );
/** @returns the code with which a job fails */
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'success',
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

/** A part that cannot be had is left out, and nothing is left. */
const NOTHING_CAME = /unsupported|upstream_error|incomplete/;

describe('yt-dlp', () => {
  it('reaches the platform through the guard', async () => {
    site.set('/a.m4a', { type: 'audio/mp4', body: Buffer.alloc(5_000) });
    give('good', { formats: [audio({ url: `${site.url}/a.m4a`, filesize: 5_000 })] });
    expect(await fetchAudio('good')).toMatchObject({ cameWhole: true, paths: [expect.any(String)] });
  });

  it.each(['http', 'https'])('cannot reach media at a private address by %s', async (scheme) => {
    give(`media-${scheme}`, { formats: [audio({ url: `${scheme}://${inner}/a.m4a` })] });
    expect(await codeOf(fetchAudio(`media-${scheme}`))).toBe('unsupported');
    expect(hits).toBe(0);
  });

  it('cannot reach private hosts in any spelling', async () => {
    const hosts = rows(
      ['[::ffff:127.0.0.9]', '2130706441', 'nas.local'],
      ['0x7f.9', '[::1]', '0.0.0.0', '169.254.169.254'],
    );
    const codes = await Promise.all(
      hosts.map((host, index) => {
        give(`host-${index}`, { formats: [audio({ url: `http://${host}:${inner.split(':')[1] ?? ''}/a.m4a` })] });
        return codeOf(fetchAudio(`host-${index}`));
      }),
    );
    expect(codes).toEqual(hosts.map(() => 'unsupported'));
    expect(hits).toBe(0);
  });

  // Further protocols: yt-dlp-protocols.test.ts.
  it('downloads no media by other protocols', async () => {
    const schemes = rows(['rtmp'], ['ftp', 'rtsp', 'mms', 'file', 'data', 'gopher']);
    const codes = await Promise.all(
      schemes.map((scheme) => {
        give(`by-${scheme}`, { formats: [audio({ url: `${scheme}://${inner}/a.m4a`, filesize: 6 })] });
        return codeOf(fetchAudio(`by-${scheme}`));
      }),
    );
    for (const code of codes) expect(['no_audio', 'unsupported', 'upstream_error']).toContain(code);
    expect(hits).toBe(0);
  });

  it.each(rows(['m3u8_native'], ['m3u8']))(
    'reads a playlist itself (%s), and its parts through the guard',
    async (protocol) => {
      const playlist = (lines: readonly string[]): string =>
        ['#EXTM3U', '#EXT-X-TARGETDURATION:3', '#EXT-X-VERSION:3', ...lines, '#EXT-X-ENDLIST', ''].join('\n');
      site.set('/part.ts', { type: 'video/mp2t', body: Buffer.alloc(1_000) });
      const cases: [string, string[], string | RegExp][] = [
        ['own', [`#EXTINF:3,`, `${site.url}/part.ts`], 'success'],
        ['part', [`#EXTINF:3,`, `http://${inner}/part.ts`], NOTHING_CAME],
        ['key', [`#EXT-X-KEY:METHOD=AES-128,URI="http://${inner}/key"`, '#EXTINF:3,', `${site.url}/part.ts`], /./],
        ['map', [`#EXT-X-MAP:URI="http://${inner}/map"`, '#EXTINF:3,', `${site.url}/part.ts`], /./],
        ['file', ['#EXTINF:3,', 'file:///etc/passwd'], NOTHING_CAME],
        ['sample-aes', ['#EXT-X-KEY:METHOD=SAMPLE-AES,URI="x"', '#EXTINF:3,', `http://${inner}/part.ts`], /./],
      ];
      const codes = await Promise.all(
        cases.map(([name, lines]) => {
          const path = `/${protocol}-${name}.m3u8`;
          site.set(path, { type: 'application/vnd.apple.mpegurl', body: playlist(lines) });
          give(`${protocol}-${name}`, { formats: [audio({ url: site.url + path, ext: 'mp4', protocol })] });
          return codeOf(fetchAudio(`${protocol}-${name}`));
        }),
      );
      for (const [index, [name, , expected]] of cases.entries()) expect(codes[index], name).toMatch(expected);
      expect(hits).toBe(0);
    },
    120_000,
  );

  it('cannot reach captions at a private address', async () => {
    give('captions', {
      formats: [audio({ url: `${site.url}/a.m4a` })],
      subtitles: { en: [{ ext: 'vtt', url: `http://${inner}/en.vtt` }] },
      http_headers: { 'Ytdl-request-proxy': '__noproxy__', Referer: 'http://example.com/' },
    });
    const work = inFolder((call) => createTranscriptSource(settings).fetch('captions', 'en', call));
    expect(await codeOf(work)).toBe('unsupported');
    expect(hits).toBe(0);
  });
});

it('a page without an extractor cannot lead to private addresses', async () => {
  const pages = rows(
    [
      `<video src="http://${inner}/a.mp4"></video>`,
      `<meta http-equiv="refresh" content="0;url=http://${inner}/a">`,
      `#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nhttp://${inner}/a.ts\n#EXT-X-ENDLIST\n`,
    ],
    [
      `<meta property="og:video" content="http://${inner}/a.mp4">`,
      `<rss><channel><item><enclosure url="http://${inner}/a.mp3"/></item></channel></rss>`,
    ],
  );
  const generic = { ...settings, pluginDir: undefined, videoUrlTemplate: `${site.url}/pages/{id}` };
  const codes = await Promise.all(
    pages.map((body, index) => {
      site.set(`/pages/${index}`, { type: 'text/html', body: `<html><title>x</title>${body}</html>` });
      const options = { maxMediaSeconds: 600, onProgress: () => undefined };
      return codeOf(inFolder((call) => createYtdlpSource(generic).fetchAudio(String(index), { ...call, ...options })));
    }),
  );
  for (const code of codes) expect(['unsupported', 'upstream_error', 'no_audio', 'incomplete']).toContain(code);
  expect(hits).toBe(0);
});

it('yt-dlp without the guard reaches the private address', async () => {
  give('unguarded', { formats: [audio({ url: `http://${inner}/a.m4a`, filesize: 6 })] });
  const { guard: _, ...unguarded } = settings;
  await inFolder((call) =>
    createYtdlpSource(unguarded).fetchAudio('unguarded', { ...call, maxMediaSeconds: 9, onProgress: () => undefined }),
  );
  expect(hits).toBeGreaterThan(0);
});
