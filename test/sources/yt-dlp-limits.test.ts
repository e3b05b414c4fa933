import { gzipSync } from 'node:zlib';
import type { RequestListener } from 'node:http';
import { readdir } from 'node:fs/promises';
import { relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '../../runtime/subprocess/bare-environment.ts';
import { run } from '../../runtime/subprocess/run-program.ts';
import { YTDLP_MEMORY_BYTES } from '../../sources/vidnet/yt-dlp/run-yt-dlp.ts';
import { createYtdlpSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { createTranscriptSource } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';
import { type MemoryWatch, SEES_MEMORY, watchMemory } from '../helpers/hostile/memory.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';
import { until } from '../helpers/until.ts';

/** Most that the test lets a download hold. */
const MAX_FILE_BYTES = 20_000_000;
/** What yt-dlp takes for anything: less would mean that another program was looked at. */
const LEAST_MIB = SEES_MEMORY ? 20 : 0;
const PATIENT = { minimumRate: { bytes: 1, windowMs: 60_000 } };
let site: RecordedSite;
let host: Awaited<ReturnType<typeof serveOnLoopback>>;
let settings: YtdlpSettings;
let answer: RequestListener = (_, response) => response.end();

beforeAll(async () => {
  site = await RecordedSite.start();
  host = await serveOnLoopback((request, response) => {
    response.on('error', () => undefined);
    answer(request, response);
  });
  settings = site.settings({ maxFileBytes: MAX_FILE_BYTES, minimumRate: { bytes: 10_000, windowMs: 4_000 } });
});
afterAll(async () => {
  await host.stop();
  await site.stop();
});

/** Sends until nobody takes it any more. */
const endless: RequestListener = (_, response) => {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', more);
  more();
};

/** A program that ends within the time between two looks would not have been looked at. */
const untilSeen = (memory: MemoryWatch): Promise<unknown> => until(() => memory.peakMib() >= LEAST_MIB);

/** @returns the code of the failure, and the most memory that yt-dlp held, in MiB */
async function fetchFrom(listener: RequestListener, format: object = {}, change: Partial<YtdlpSettings> = {}) {
  answer = listener;
  const id = Math.random().toString(36).slice(2);
  const one = { format_id: 'a', ext: 'm4a', acodec: 'mp4a.40.2', vcodec: 'none', url: `${host.url}/a.m4a`, ...format };
  return inFolder(async (call) => {
    const memory = watchMemory(call.folder);
    site.set(`/recorded/${id}`, { body: { id, title: 'Recorded', formats: [one] }, when: () => untilSeen(memory) });
    const options = { ...call, maxMediaSeconds: 600, onProgress: () => undefined };
    const code = await createYtdlpSource({ ...settings, ...change })
      .fetchAudio(id, options)
      .then(
        () => 'success',
        (error: unknown) => (error as { code?: unknown }).code ?? error,
      );
    const peakMib = await memory.stop();
    expect(peakMib).toBeGreaterThanOrEqual(LEAST_MIB);
    return { code, peakMib, files: await readdir(call.folder) };
  });
}

describe('a hostile host of media', () => {
  it('cannot send without end', async () => {
    expect((await fetchFrom(endless)).code).toBe('too_large');
  });

  it('cannot send small parts without end', async () => {
    const parts = Array.from({ length: 200 }, (_, index) => `#EXTINF:3,\n${host.url}/${String(index)}.ts`);
    const playlist = ['#EXTM3U', '#EXT-X-TARGETDURATION:3', ...parts, '#EXT-X-ENDLIST'].join('\n');
    const { code } = await fetchFrom(
      (request, response) => response.end(request.url?.endsWith('.m3u8') ? playlist : Buffer.alloc(2_000_000)),
      { url: `${host.url}/a.m3u8`, protocol: 'm3u8_native', ext: 'mp4' },
    );
    expect(code).toBe('too_large');
  });

  it('cannot fill the memory with an endless playlist', async () => {
    const playlist = { url: `${host.url}/a.m3u8`, protocol: 'm3u8_native', ext: 'mp4' };
    const { code, peakMib } = await fetchFrom(endless, playlist, PATIENT);
    expect(code).toBe('too_large');
    expect(peakMib).toBeLessThan(1_200);
  });

  it('cannot fill disk or memory with compressed data', async () => {
    const bomb = gzipSync(Buffer.alloc(500_000_000), { level: 1 });
    const { code, peakMib } = await fetchFrom((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb),
    );
    expect(['too_large', 'upstream_error', 'incomplete']).toContain(code);
    expect(peakMib).toBeLessThan(700);
  });

  it('cannot delay a job by sending very slowly', async () => {
    const { code } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      const timer = setInterval(() => response.write('x'), 100);
      response.on('close', () => clearInterval(timer));
    });
    expect(code).toBe('upstream_timeout');
  });

  it.each(
    rows<readonly [string, object]>(
      [['one file', {}]],
      [['parts of a playlist', { url: () => `${host.url}/a.m3u8`, protocol: 'm3u8_native', ext: 'mp4' }]],
    ),
  )('cannot send just above the least rate for as long as it likes, in %s', async (_name, format) => {
    const minimumRate = { bytes: 1_000, windowMs: 4_000, overall: { bytesPerSecond: 10_000_000, afterMs: 2_000 } };
    const parts = Array.from({ length: 200 }, (_, index) => `#EXTINF:3,\n${host.url}/${String(index)}.ts`);
    const playlist = ['#EXTM3U', '#EXT-X-TARGETDURATION:3', ...parts, '#EXT-X-ENDLIST'].join('\n');
    const named = Object.fromEntries(
      Object.entries(format).map(([key, value]) => [
        key,
        typeof value === 'function' ? (value as () => string)() : value,
      ]),
    );
    const { code } = await fetchFrom(
      (request, response) => {
        if (request.url?.endsWith('.m3u8') === true) return response.end(playlist);
        response.writeHead(200, { 'content-length': 3_000_000 });
        const timer = setInterval(() => response.write(Buffer.alloc(30_000)), 100);
        response.on('close', () => clearInterval(timer));
        return response;
      },
      named,
      { minimumRate },
    );
    expect(code).toBe('too_large');
  });

  it.each(
    rows<readonly [string, Readonly<Record<string, string | readonly string[]>>, string]>(
      [
        ['less than it said', { 'content-length': '1000' }, 'short'],
        ['two lengths', { 'content-length': ['4', '5'] }, 'xxxx'],
      ],
      [
        ['a length that is none', { 'content-length': '-1' }, 'x'],
        ['a part that was not requested', { 'content-range': 'bytes 5-9/10', 'content-length': '5' }, 'xxxxx'],
      ],
    ),
  )('gets no success by %s', async (_name, headers, body) => {
    const { code } = await fetchFrom(
      (_, response) => {
        response.socket?.write(
          `HTTP/1.1 200 OK\r\n${Object.entries(headers)
            .flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`))
            .join('')}\r\n${body}`,
        );
        response.socket?.end();
      },
      { filesize: 1_000 },
    );
    expect(['incomplete', 'upstream_error', 'upstream_timeout', 'too_large']).toContain(code);
  });

  it.each(
    rows(
      ['file:///etc/passwd', 'rtmp://127.0.0.1/x', '//'],
      ['ftp://127.0.0.1/x', 'data:audio/mp4;base64,AAAA', 'javascript:1'],
    ),
  )('gets no success by a redirect to %s', async (location) => {
    const { code, files } = await fetchFrom((_, response) => response.writeHead(302, { location }).end());
    expect(['unsupported', 'upstream_error', 'incomplete', 'upstream_timeout', 'removed']).toContain(code);
    expect(files.filter((name) => name.startsWith('media.') && !name.endsWith('.part'))).toEqual([]);
  });
});

const LONG = 'n'.repeat(300);

describe('texts of a hostile platform', () => {
  it.each(
    rows(['--exec=touch owned', '../../owned', '\0'], ['%(title)s', '-o/tmp/owned', 'a/b', 'a\nb', '\u202egnp', LONG]),
  )('are only words: %j as id, title, format and extension', async (word) => {
    answer = (_, response) => response.end(Buffer.alloc(1_000));
    const fetchAs = (ext: string) => {
      const id = Math.random().toString(36).slice(2);
      const words = { format_id: word, format_note: word, ext };
      const format = { ...words, acodec: 'mp4a.40.2', vcodec: 'none', url: `${host.url}/a` };
      site.set(`/recorded/${id}`, { body: { id: word, title: word, uploader: word, ext, formats: [format] } });
      return inFolder(async (call) => {
        const options = { ...call, maxMediaSeconds: 600, onProgress: () => undefined };
        const outcome = await createYtdlpSource(settings)
          .fetchAudio(id, options)
          .then(
            ({ paths }) => paths.map((path) => relative(call.folder, path)),
            (error: unknown) => (error as { code?: unknown }).code ?? error,
          );
        return { outcome, files: await readdir(call.folder) };
      });
    };
    const [asWords, asExtension] = await Promise.all([fetchAs('m4a'), fetchAs(word)]);
    expect(asWords).toEqual({ outcome: ['media.m4a'], files: ['media.m4a'] });
    expect(asExtension).toEqual({ outcome: asExtension.files, files: [expect.stringMatching(/^media\.\w+$/)] });
  });

  it('may have 50 MB in one line', async () => {
    answer = (_, response) => response.end(Buffer.alloc(1_000));
    const format = {
      format_id: 'a',
      ext: 'm4a',
      acodec: 'mp4a.40.2',
      vcodec: 'none',
      url: `${host.url}/a`,
      filesize: 1_000,
    };
    const words = 'w'.repeat(50_000_000);
    site.set('/recorded/long', { body: { id: 'long', title: 'x', description: words, formats: [format] } });
    await inFolder(async (call) => {
      const { video } = await createTranscriptSource(settings)
        .fetch('long', 'en', call)
        .catch((error: unknown) => ({ video: error }));
      expect(video).toMatchObject({ code: 'no_captions' });
    });
  });

  it.each(
    rows(
      [
        ['vtt', `WEBVTT\n\n${'00:00.000 --> 00:03.000\n<b>x\n\n'.repeat(50_000)}`],
        [
          'ttml',
          `<!DOCTYPE tt [<!ENTITY x SYSTEM "file:///etc/passwd">]><tt><body><div><p begin="0s" end="3s">&x;</p></div></body></tt>`,
        ],
        ['json3', '['.repeat(100_000)],
      ],
      [
        ['vtt', `WEBVTT\n\n00:00.000 --> 00:03.000\n${'&amp;'.repeat(50_000)}<script>alert(1)</script>\n`],
        [
          'ttml',
          `<!DOCTYPE tt [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]><tt><body><div><p begin="0s" end="3s">&c;</p></div></body></tt>`,
        ],
        ['srv3', `<timedtext><body>${'<p t="0" d="1">'.repeat(20_000)}</body></timedtext>`],
        ['json3', `{"events":[${'{"tStartMs":0,"dDurationMs":1,"segs":[{"utf8":"x"}]},'.repeat(100_000)}{}]}`],
        ['srt', `1\n00:00:00,000 --> 99:59:59,999\n<img src=x onerror=alert(1)>\n`],
      ],
    ),
  )('in captions (%s) end as lines or as a code', async (ext, text) => {
    const id = Math.random().toString(36).slice(2);
    site.set(`/${id}`, { type: 'text/plain', body: text });
    await inFolder(async (call) => {
      const memory = watchMemory(call.folder);
      site.set(`/recorded/${id}`, {
        body: { id, title: 'x', formats: [], subtitles: { en: [{ ext, url: `${site.url}/${id}` }] } },
        when: () => untilSeen(memory),
      });
      const code = await createTranscriptSource(settings)
        .fetch(id, 'en', call)
        .then(
          ({ lines }) => {
            expect(JSON.stringify(lines)).not.toMatch(/root:/);
            return 'lines';
          },
          (error: unknown) => (error as { code?: unknown }).code ?? error,
        );
      expect(['lines', 'no_captions', 'incomplete', 'upstream_error']).toContain(code);
      const peakMib = await memory.stop();
      expect(peakMib).toBeGreaterThanOrEqual(LEAST_MIB);
      expect(peakMib).toBeLessThan(400);
    });
  });
});

it('Node can be the JavaScript runtime of yt-dlp within its memory limit', async () => {
  const script = 'const kept = Array.from({ length: 2e6 }, (_, i) => ({ i, name: `x${i}` })); console.log(kept.length)';
  const { stdout } = await run(process.execPath, ['-e', script], {
    ...{ cwd: '/', env: bareEnvironment(process.execPath), maxMemoryBytes: YTDLP_MEMORY_BYTES, maxStdoutChars: 100 },
  });
  expect(stdout).toBe('2000000\n');
});
