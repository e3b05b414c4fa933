import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createYtdlpSource, type FetchedMedia, type FetchOptions } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';

let site: RecordedSite;
let sandbox: TestSandbox;
let settings: YtdlpSettings;

beforeAll(async () => {
  site = await RecordedSite.start();
  sandbox = await startTestSandbox();
  settings = site.settings({
    videoUrlTemplate: sandbox.env.VIDNET_VIDEO_URL,
    pluginDir: sandbox.env.YTDLP_PLUGIN_DIR,
  });
});
afterAll(async () => {
  await sandbox.stop();
  await site.stop();
});

interface Fetched extends FetchedMedia {
  readonly sizes: readonly number[];
}
function fetchWith(
  kind: 'fetchAudio' | 'fetchVideo',
  id: string,
  more: { settings?: Partial<YtdlpSettings>; options?: Partial<FetchOptions> } = {},
): Promise<Fetched> {
  return inFolder(async (call) => {
    const source = createYtdlpSource({ ...settings, ...more.settings });
    const options = { ...call, maxMediaSeconds: 600, onProgress: () => undefined, ...more.options };
    const fetched = await source[kind](id, options);
    return { ...fetched, sizes: await Promise.all(fetched.paths.map(async (path) => (await stat(path)).size)) };
  });
}

describe('a download', () => {
  it('of audio is one file of the stated size, with progress', async () => {
    const stages = new Set<string>();
    const fetched = await fetchWith('fetchAudio', sandbox.idOf('ordinary'), {
      options: { onProgress: ({ stage, percent }) => stages.add(`${stage} ${String(percent)}`) },
    });
    expect(fetched).toMatchObject({
      cameWhole: true,
      paths: [expect.stringMatching(/media\.m4a$/)],
    });
    expect(fetched.statedDurationSeconds).toBeCloseTo(28.5, 0);
    expect(fetched.sizes[0]).toBeGreaterThan(10_000);
    expect([...stages]).toContain('fetching 100');
  });

  it('of video is two verified files', async () => {
    const fetched = await fetchWith('fetchVideo', sandbox.idOf('ordinary'));
    expect(fetched.paths).toHaveLength(2);
    expect(fetched.cameWhole).toBe(true);
  });

  it('is verified by the lengths of the responses when the platform states no size', async () => {
    site.set('/a.m4a', { type: 'audio/mp4', body: Buffer.alloc(5_000) });
    site.set('/v.mp4', { type: 'video/mp4', body: Buffer.alloc(5_000) });
    const format = { acodec: 'none', vcodec: 'none' };
    site.set('/recorded/sizeless', {
      body: {
        ...{ id: 'sizeless', title: 'Recorded', duration: 3 },
        formats: [
          { ...format, format_id: 'a', url: `${site.url}/a.m4a`, ext: 'm4a', acodec: 'mp4a.40.2', filesize: 5_000 },
          { ...format, format_id: 'v', url: `${site.url}/v.mp4`, ext: 'mp4', vcodec: 'avc1.64', height: 144 },
        ],
      },
    });
    expect(await fetchWith('fetchVideo', 'sizeless', { settings: site.settings() })).toMatchObject({
      sizes: [5_000, 5_000],
      cameWhole: true,
      statedDurationSeconds: 3,
    });
  });

  it('is the original, although a dub has the native container', async () => {
    const sound = { vcodec: 'none', url: `${site.url}/a.m4a` };
    site.set('/a.m4a', { type: 'audio/mp4', body: Buffer.alloc(5_000) });
    const formats = [
      { ...sound, format_id: 'dub', ext: 'm4a', acodec: 'mp4a.40.2', language: 'de', language_preference: -1 },
      { ...sound, format_id: 'original', ext: 'webm', acodec: 'opus', language: 'en', language_preference: 10 },
    ];
    site.set('/recorded/dubbed', { body: { id: 'dubbed', title: 'Recorded', formats } });
    const fetched = await fetchWith('fetchAudio', 'dubbed', { settings: site.settings() });
    expect(fetched.paths).toEqual([expect.stringMatching(/\.webm$/)]);
  });

  it.each([
    ['came whole', 'tells its length', true],
    ['may be half of one', 'tells none', false],
  ])('%s when the answer %s, and the platform stated no size', async (_what, _how, isTold) => {
    const host = await serveOnLoopback((_req, res) => {
      const length = isTold ? { 'content-length': 5_000 } : {};
      res.writeHead(200, { 'content-type': 'audio/mp4', ...length }).end(Buffer.alloc(5_000));
    });
    onTestFinished(() => host.stop());
    const format = { format_id: 'a', url: `${host.url}/a.m4a`, ext: 'm4a', acodec: 'mp4a.40.2', vcodec: 'none' };
    site.set('/recorded/untold', { body: { id: 'untold', title: 'Recorded', duration: 3, formats: [format] } });
    const fetched = await fetchWith('fetchAudio', 'untold', { settings: site.settings() });
    expect(fetched).toMatchObject({ sizes: [5_000], cameWhole: isTold || undefined });
  });

  it.each(
    rows(
      [
        ['live', 'live'],
        ['long', 'too_long'],
      ],
      [
        ['private', 'private'],
        ['upcoming', 'not_started'],
      ],
    ),
  )('of a video that is %s fails as %s', async (wanted, code) => {
    await expect(fetchWith('fetchAudio', sandbox.idOf(wanted))).rejects.toMatchObject({ code });
  });

  it.each([
    ['YTDLP_PATH', { program: '/no/yt-dlp' }],
    ['YTDLP_COOKIES_FILE', { cookiesFile: '/no/cookies.txt' }],
    ['YTDLP_PROXY', { proxy: 'http://127.0.0.1:1' }],
    ['YTDLP_EXTRACTOR_ARGS', { extractorArgs: 'nonsense' }],
    ['YTDLP_PLUGIN_DIR', { pluginDir: '/no/plugins' }],
  ])('that a wrong setting keeps from working names it: %s', async (setting, wrong) => {
    // No warm one comes up.
    const settings = { ...wrong, starter: undefined };
    await expect(fetchWith('fetchAudio', sandbox.idOf('ordinary'), { settings })).rejects.toMatchObject({
      code: 'tool_missing',
      message: expect.stringContaining(setting),
    });
  });
});
