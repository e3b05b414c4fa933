import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MediaInfoPage } from '../../contract/kinds/media-info.ts';
import { createMediaInfoSource } from '../../sources/vidnet/yt-dlp/yt-dlp-info.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import type { VideoCase } from '../../local/sandbox/catalogue.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';

let sandbox: TestSandbox;
let site: RecordedSite;
let ofSandbox: YtdlpSettings;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  site = await RecordedSite.start();
  ofSandbox = site.settings({ pluginDir: sandbox.env.YTDLP_PLUGIN_DIR });
});
afterAll(async () => {
  await site.stop();
  await sandbox.stop();
});

const read = (settings: YtdlpSettings, page: MediaInfoPage) =>
  inFolder((call) => createMediaInfoSource(settings).read(page, call));
const readVideo = (wanted: VideoCase) =>
  read(ofSandbox, { url: sandbox.env.VIDNET_VIDEO_URL.replace('{id}', sandbox.idOf(wanted)), subject: 'video' });
/** What an extractor has given. */
function readRecorded(info: object, subject: MediaInfoPage['subject'] = 'page') {
  const id = `look-${Math.random()}`;
  site.set(`/recorded/${id}`, { body: { id, title: 'Recorded', ...info } });
  return read(site.settings(), { url: `${site.url}/recorded/${id}`, subject });
}
const of = (path: string) => ({ url: `http://127.0.0.1:9/${path}` });

describe('a look at a video', () => {
  it('shows title, uploader, length, pictures, formats and captions, and fetches no media', async () => {
    const before = await sandbox.stats();
    const look = await readVideo('ordinary');
    const after = await sandbox.stats();
    expect(look).toMatchObject({
      kind: 'video',
      title: 'How long should tea brew?',
      uploader: 'Evening Talks',
      published_at: '2026-03-14 18:00:00',
      duration: '00:00:29',
      live_status: 'not_live',
      view_count: 5210,
      captions: [
        { language: 'en', kind: 'manual', name: 'English' },
        { language: 'en', kind: 'automatic', name: 'English' },
      ],
      video_formats: [1080, 720, 360, 144].map((height) => ({ height, container: 'mp4', has_sound: false })),
      audio_formats: [{ container: 'webm' }, { container: 'm4a' }],
    });
    expect(look.video_formats![0]!.size).toBeGreaterThan(1_000);
    expect(look.thumbnails!.length).toBeGreaterThan(0);
    for (const name of ['media_requests', 'caption_requests']) expect(after[name] ?? 0).toBe(before[name] ?? 0);
  });

  it('gives the facts of a video without captions', async () => {
    const look = await readVideo('no_captions');
    expect(look).toMatchObject({ kind: 'video', captions: [] });
    expect(look.title).not.toBe('');
    expect(look.duration).toMatch(/^00:/);
  });

  it.each([
    ['live', 'live'],
    ['upcoming', 'upcoming'],
  ] as const)('tells the state of a broadcast: %s', async (wanted, live_status) => {
    expect(await readVideo(wanted)).toMatchObject({ kind: 'video', live_status });
  });

  it.each([
    ['private', 'private'],
    ['removed', 'removed'],
    ['geo_blocked', 'geo_blocked'],
    ['age_restricted', 'age_restricted'],
    ['members_only', 'members_only'],
  ] as const)('fails with the reason of the platform: %s', async (wanted, code) => {
    await expect(readVideo(wanted)).rejects.toMatchObject({ code });
  });

  it('lists automatic captions without machine translations', async () => {
    expect((await readVideo('automatic_captions')).captions).toMatchObject([{ language: 'en', kind: 'automatic' }]);
  });

  it('reduces formats to heights, and marks the original language of the sound', async () => {
    const sound = (format_id: string, language: string, language_preference: number) => ({
      ...{ ...of(format_id), format_id, ext: 'm4a', vcodec: 'none', acodec: 'mp4a.40.2', filesize: 1000 },
      ...{ language, language_preference },
    });
    const picture = (format_id: string, more: object) => ({
      ...{ ...of(format_id), format_id, ext: 'mp4', acodec: 'none', vcodec: 'avc1.4d', fps: 29.97, ...more },
    });
    const look = await readRecorded({
      duration: 80,
      formats: [
        { ...of('sb'), format_id: 'sb', ext: 'mhtml', vcodec: 'none', acodec: 'none' },
        sound('140-0', 'de', -1),
        sound('140-1', 'en-US', 10),
        sound('140-2', 'en-US-desc', -10),
        picture('134', { height: 360, tbr: 800 }),
        picture('136', { height: 720, filesize: 50 }),
        picture('136-better', { height: 720, filesize: 70 }),
        picture('298', { height: 720, fps: 60, filesize_approx: 90 }),
        picture('247', { height: 720, ext: 'webm', vcodec: 'vp9' }),
        { ...picture('137', { height: 1080 }), has_drm: true },
        {
          ...picture('22', { height: 240, ext: 'flv' }),
          acodec: 'mp4a.40.2',
          language: 'en-US',
          language_preference: 10,
        },
      ],
    });
    expect(look.video_formats).toEqual([
      { height: 720, frame_rate: 60, container: 'mp4', size: 90, has_sound: false },
      { height: 720, frame_rate: 30, container: 'webm', has_sound: false },
      { height: 720, frame_rate: 30, container: 'mp4', size: 70, has_sound: false },
      { height: 360, frame_rate: 30, container: 'mp4', size: 8_000_000, has_sound: false },
      { height: 240, frame_rate: 30, container: 'flv', has_sound: true },
    ]);
    expect(look.audio_formats).toEqual([
      { container: 'm4a', language: 'en-US', size: 1000 },
      { container: 'm4a', language: 'de', size: 1000 },
    ]);
    expect(look.audio_languages).toEqual([
      { language: 'en-US', is_original: true },
      { language: 'de', is_original: false },
    ]);
  });

  it('shows the chapters and the largest pictures', async () => {
    const look = await readRecorded({
      duration: 100,
      formats: [{ ...of('a'), format_id: 'a', ext: 'mp4' }],
      chapters: [
        { start_time: 0, end_time: 40, title: 'One\ntwo' },
        { start_time: 40, end_time: 100, title: 'Three' },
      ],
      thumbnails: [
        { url: 'http://127.0.0.1:9/small.jpg', width: 100, height: 50 },
        { url: 'data:image/png;base64,AAAA', width: 9000, height: 9000 },
        { url: 'http://127.0.0.1:9/large.jpg', width: 1000, height: 500 },
      ],
    });
    expect(look.chapters).toEqual([
      { title: 'One two', start: 0, end: 40 },
      { title: 'Three', start: 40, end: 100 },
    ]);
    expect(look.thumbnails).toEqual([
      { url: 'http://127.0.0.1:9/large.jpg', width: 1000, height: 500 },
      { url: 'http://127.0.0.1:9/small.jpg', width: 100, height: 50 },
    ]);
  });

  it('stays below 100 kB, whatever the page says', async () => {
    const long = '\u{65e5}'.repeat(30_000);
    const look = await readRecorded({
      ...{ title: long, description: long, uploader: long, channel: long },
      formats: Array.from({ length: 400 }, (_, n) => ({
        ...of(String(n)),
        format_id: String(n),
        ext: 'mp4',
        height: n,
      })),
      chapters: Array.from({ length: 900 }, (_, n) => ({ start_time: n, end_time: n + 1, title: long.slice(0, 900) })),
    });
    expect(Buffer.byteLength(JSON.stringify(look))).toBeLessThan(130_000);
  });
});

describe('a look at a list', () => {
  it('counts a playlist of 5,000 entries within 10 seconds', async () => {
    const { id } = sandbox.playlists[0]!;
    const began = performance.now();
    const look = await read(ofSandbox, { url: `${sandbox.url}/playlist?list=${id}`, subject: 'page' });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(look).toMatchObject({
      ...{ kind: 'playlist', title: 'Weather for years', uploader: 'Weather Notes', entry_count: 5000 },
    });
    expect(JSON.stringify(look).length).toBeLessThan(100_000);
  });

  it('counts the videos of a channel', async () => {
    const { handle } = sandbox.channels.find((channel) => channel.case === 'ordinary')!;
    const look = await read(ofSandbox, {
      url: sandbox.env.VIDNET_CHANNEL_URL.replace('{path}', handle),
      subject: 'channel',
    });
    expect(look).toMatchObject({ kind: 'channel', title: 'Evening Talks' });
    expect(look.entry_count).toBeGreaterThan(5);
    expect(look).not.toHaveProperty('entry_count_is_minimum');
  });

  it('counts the videos of all tabs of a channel, each once', async () => {
    const tab = (title: string, ...ids: string[]) => ({
      ...{ _type: 'playlist', id: 'UC1', title },
      entries: ids.map((id) => ({ _type: 'url', id, title: id, url: `${site.url}/recorded/${id}` })),
    });
    const look = await readRecorded(
      { _type: 'playlist', channel: 'Tabs', entries: [tab('Videos', 'a', 'b', 'c'), tab('Live', 'c', 'd')] },
      'channel',
    );
    expect(look).toMatchObject({ kind: 'channel', title: 'Tabs', entry_count: 4 });
  });

  it('fails with the reason if the playlist does not exist', async () => {
    const url = `${sandbox.url}/playlist?list=PLnothing`;
    await expect(read(ofSandbox, { url, subject: 'page' })).rejects.toMatchObject({ code: 'removed' });
  });

  it('counts the episodes of a feed', async () => {
    const items = Array.from(
      { length: 700 },
      (_, n) => `<item><title>No ${n}</title><link>${site.url}/e${n}</link></item>`,
    );
    const body = `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>${items.join('')}</channel></rss>`;
    site.set('/feed.xml', { type: 'application/rss+xml', body });
    const look = await read(site.settings(), { url: `${site.url}/feed.xml`, subject: 'page' });
    expect(look).toMatchObject({ kind: 'playlist', title: 'Feed', entry_count: 700 });
  });

  it('shows the only entry of a list as a video', async () => {
    const entry = { _type: 'video', id: 'x', title: 'Alone', formats: [{ ...of('x'), format_id: 'x', ext: 'mp4' }] };
    const look = await readRecorded({ _type: 'playlist', title: 'List', entries: [entry] });
    expect(look).toMatchObject({ kind: 'video', title: 'Alone' });
  });
});

describe('a look at a page of another site', () => {
  it('shows its media', async () => {
    const body = '<title>Tea</title><video><source src="/tea.mp4" type="video/mp4"></video>';
    site.set('/page', { type: 'text/html', body });
    const look = await read(site.settings(), { url: `${site.url}/page`, subject: 'page' });
    expect(look).toMatchObject({
      kind: 'video',
      title: 'Tea (1)',
      video_formats: [{ container: 'mp4', has_sound: true }],
    });
  });

  it.each([
    ['/nothing', 'removed'],
    ['/empty', 'unsupported'],
  ])('fails if there are none: %s', async (path, code) => {
    site.set('/empty', { type: 'text/html', body: '<title>Nothing</title>' });
    await expect(read(site.settings(), { url: site.url + path, subject: 'page' })).rejects.toMatchObject({ code });
  });
});
