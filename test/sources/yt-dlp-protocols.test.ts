import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { BlockList, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startForwardProxy, type ForwardProxy } from '../../outbound/forward-proxy.ts';
import { createYtdlpChannels } from '../../sources/vidnet/yt-dlp/yt-dlp-channel.ts';
import { createYtdlpComments } from '../../sources/vidnet/yt-dlp/yt-dlp-comments.ts';
import { readPythonProgram } from '../../sources/vidnet/warm/python-program.ts';
import type { WarmYtdlp } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createTranscriptSource } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import { trackListSchema, tracksOf } from '../../sources/vidnet/yt-dlp/yt-dlp-tracks.ts';
import { createYtdlpSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { collect } from '../helpers/promises.ts';
import { rows } from '../helpers/rows.ts';
import { canBeWarm, warmOf } from '../helpers/yt-dlp.ts';

/** Programs that yt-dlp starts for some URLs and protocols. */
const PROGRAMS = [
  'rtmpdump',
  'ffmpeg',
  'ffprobe',
  'avconv',
  'mplayer',
  'mpv',
  'aria2c',
  'axel',
  'curl',
  'wget',
  'http',
];
/** A service of our own network. The site is at 127.0.0.1, the only address allowed. */
const INNER = '127.0.0.9';

let hits = 0;
const open = new Set<Socket>();
const canary = createServer((socket) => {
  hits += 1;
  open.add(socket);
  socket.on('error', () => undefined);
  socket.end();
});
let inner: string;
let folder: string;
let site: RecordedSite;
let guard: ForwardProxy;
let settings: YtdlpSettings;
let warm: WarmYtdlp | undefined;

beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, INNER, resolve));
  inner = `${INNER}:${String((canary.address() as AddressInfo).port)}`;
  site = await RecordedSite.start();
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-programs-'));
  const allowedNetworks = new BlockList();
  allowedNetworks.addAddress('127.0.0.1');
  guard = await startForwardProxy({ allowedNetworks, connectTimeoutMs: 5_000, idleTimeoutMs: 10_000 });
  const program = join(folder, 'yt-dlp');
  settings = site.settings({ guard });
  // Beside yt-dlp, where its PATH led first.
  if (await canBeWarm(settings.program)) {
    const { python } = await readPythonProgram(settings.program);
    await writeFile(program, `#!${python}\nfrom runpy import run_module\nrun_module('yt_dlp', run_name='__main__')\n`);
    await chmod(program, 0o700);
  } else await script(program, `exec '${settings.program}' "$@"`);
  for (const name of PROGRAMS) await script(join(folder, name), `echo "$0 $*" >> '${join(folder, 'started')}'`);
  warm = await warmOf({ ...settings, program });
  settings = { ...settings, program, starter: warm };
});
beforeEach(async () => {
  hits = 0;
  await writeFile(join(folder, 'started'), '');
});
afterAll(async () => {
  await warm?.close();
  await guard.close();
  await site.stop();
  for (const socket of open) socket.destroy();
  await new Promise((resolve) => canary.close(resolve));
  await rm(folder, { recursive: true });
});

async function script(path: string, command: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${command}\n`);
  await chmod(path, 0o700);
}

const audio = (more: object) => ({ format_id: 'a', ext: 'm4a', acodec: 'mp4a.40.2', vcodec: 'none', ...more });
let pages = 0;
/** @returns the id of a page that gives this */
const give = (more: object): string => {
  const id = `page-${String((pages += 1))}`;
  site.set(`/recorded/${id}`, { body: { id, title: 'Recorded', duration: 3, ...more } });
  return id;
};
const fetchAudio = (id: string, using = settings) =>
  inFolder((call) =>
    createYtdlpSource(using).fetchAudio(id, { ...call, maxMediaSeconds: 600, onProgress: () => undefined }),
  );
const fetchCaptions = (id: string) => inFolder((call) => createTranscriptSource(settings).fetch(id, 'en', call));

/** What a job of each page ends with; nothing was started and nobody connected to. */
async function expectHarmless(work: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(work);
  expect(await readFile(join(folder, 'started'), 'utf8')).toBe('');
  expect(hits).toBe(0);
  for (const end of ends) {
    expect(end.status).toBe('rejected');
    const { code } = (end as PromiseRejectedResult).reason as { code?: string };
    expect(['no_audio', 'no_captions', 'unsupported', 'upstream_error', 'incomplete', 'removed']).toContain(code);
  }
}

/** One that a program fetches, those that yt-dlp fetches itself, and one that nothing does. */
const FEW_SCHEMES = ['RTMPE', 'ftp', 'file', 'data'];
const MORE_SCHEMES = ['rtmp', 'rtmpt', 'rtsp', 'mms', 'ws', 'gopher'];

describe('media', () => {
  it.each(rows(FEW_SCHEMES, MORE_SCHEMES))(
    'by %s is not fetched, whatever the page calls its protocol',
    async (scheme) => {
      const url = scheme === 'data' ? 'data:audio/mp4;base64,AAAA' : `${scheme}://${inner}/etc/passwd`;
      const pagesOf = [
        give({ formats: [audio({ url })] }),
        give({ formats: [audio({ url, protocol: 'http' })] }),
        give({ formats: [audio({ url: `http://${inner}/a`, protocol: scheme.toLowerCase() })] }),
      ];
      await expectHarmless(pagesOf.map((id) => fetchAudio(id)));
    },
  );

  it('of a protocol that needs another program is not fetched', async () => {
    const protocols = rows(['rtmp_ffmpeg', 'ism', 'websocket_frag'], ['f4m', 'niconico_live', 'fc2_live', 'soopvod']);
    const url = `http://${inner}/a`;
    await expectHarmless(protocols.map((protocol) => fetchAudio(give({ formats: [audio({ url, protocol })] }))));
  });

  it('is not fetched from parts, manifests, entries or redirects of another protocol', async () => {
    const rtmp = `rtmp://${inner}/a`;
    const list = (line: string): string => `#EXTM3U\n#EXT-X-TARGETDURATION:3\n${line}\n${rtmp}\n#EXT-X-ENDLIST\n`;
    site.set('/parts.m3u8', { type: 'application/vnd.apple.mpegurl', body: list('#EXTINF:3,') });
    site.set('/variants.m3u8', { type: 'application/vnd.apple.mpegurl', body: list('#EXT-X-STREAM-INF:BANDWIDTH=1') });
    site.set('/page', { type: 'text/html', body: `<meta http-equiv="refresh" content="0;url=${rtmp}">` });
    const url = `${site.url}/a`;
    const pagesOf = [
      give({ formats: [audio({ url, protocol: 'http_dash_segments', fragments: [{ url: rtmp }] })] }),
      give({
        formats: [audio({ url, protocol: 'http_dash_segments', fragment_base_url: rtmp, fragments: [{ path: 'b' }] })],
      }),
      ...['parts', 'variants'].flatMap((name) =>
        rows(['m3u8_native'], ['m3u8']).map((protocol) =>
          give({ formats: [audio({ url: `${site.url}/${name}.m3u8`, ext: 'mp4', protocol })] }),
        ),
      ),
      ...rows(['rtmp', 'ws', 'view-source:rtmp'], ['wss', 'ftp', 'mms']).map((scheme) =>
        give({ _type: 'url', url: `${scheme}://${inner}/a` }),
      ),
      give({ _type: 'url_transparent', url: rtmp }),
      give({ _type: 'playlist', entries: [{ _type: 'url', url: rtmp }] }),
    ];
    const generic = { ...settings, pluginDir: undefined, videoUrlTemplate: `${site.url}/{id}` };
    await expectHarmless([...pagesOf.map((id) => fetchAudio(id)), fetchAudio('page', generic)]);
  });

  it('with uncertain formats is not requested while facts are read', async () => {
    site.set('/doubted', { type: 'audio/mp4', body: 'x' });
    const readAll = (url: string): readonly Promise<unknown>[] => {
      const formats = [audio({ url, __needs_testing: true })];
      const facts = { formats, thumbnails: [{ url: `rtmp://${inner}/picture` }] };
      return [
        fetchCaptions(give(facts)),
        inFolder((call) => collect(createYtdlpComments(settings).pages(give({ ...facts, comments: [] }), 5, call))),
      ];
    };
    await Promise.allSettled([
      ...readAll(`rtmp://${inner}/a`),
      ...readAll(`${site.url}/doubted`),
      inFolder((call) => createYtdlpChannels(settings).describe({ kind: 'handle', name: 'x' }, call)),
    ]);
    expect(site.requests).not.toContain('/doubted');
    expect(await readFile(join(folder, 'started'), 'utf8')).toBe('');
    expect(hits).toBe(0);
  });
});

describe('captions', () => {
  it.each(['subtitles', 'automatic_captions'])('among %s by rtmp, ftp or ws are ignored', async (list) => {
    const files = ['rtmp', 'ftp', 'ws'].map((scheme) => ({ ext: 'vtt', url: `${scheme}://${inner}/a.vtt` }));
    await expectHarmless([fetchCaptions(give({ [list]: { en: files } }))]);
  });

  it('are fetched only by their URL, without protocol, parts or headers of the page', async () => {
    const url = `${site.url}/none.vtt`;
    const body = `#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nrtmp://${inner}/a\n#EXT-X-ENDLIST\n`;
    site.set('/captions.m3u8', { type: 'application/vnd.apple.mpegurl', body });
    const orders = rows<object>(
      [
        { protocol: 'http_dash_segments', fragments: [{ url: `rtmp://${inner}/a` }] },
        { http_headers: { 'Ytdl-Request-Proxy': '__noproxy__' }, url: `http://${inner}/a` },
        { data: 'WEBVTT\n\n00:01.000 --> 00:02.500\nfrom the page\n' },
      ],
      [
        { url: `${site.url}/captions.m3u8` },
        { protocol: 'rtmp' },
        { protocol: 'rtmp', url: `rtmp://${inner}/a`, fragments: [{ url: `rtmp://${inner}/a` }] },
      ],
    );
    await expectHarmless(
      orders.map((order) => fetchCaptions(give({ subtitles: { en: [{ ext: 'vtt', url, ...order }] } }))),
    );
  });

  it.each([...FEW_SCHEMES, ...MORE_SCHEMES])('by %s do not count as tracks', (scheme) => {
    const list = trackListSchema.parse({ en: [{ ext: 'vtt', url: `${scheme}://${INNER}/a` }] });
    expect(tracksOf(list, list)).toEqual([]);
  });

  it('keep only extension, URL and name of files that can be fetched', () => {
    const good = { ext: 'vtt', url: 'https://site.example/a?b=%20c', name: 'English' };
    const odd = ['rtmp://site.example/a', 'r\ttmp://site.example/a', '//site.example/a', '', undefined];
    const list = trackListSchema.parse({
      en: [
        ...odd.map((url) => ({ ...good, url })),
        { ...good, protocol: 'rtmp', fragments: [], http_headers: {}, data: 'x', downloader_options: {}, cookies: 'x' },
        { ...good, url: ' https://site.example\\a?b=%20c\n' },
      ],
    });
    expect(tracksOf(list, {})).toEqual([{ language: 'en', kind: 'manual', name: 'English', files: [good, good] }]);
  });
});
