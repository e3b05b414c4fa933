import { readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createYtdlpSource, type FetchedMedia } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { probe, transportStream } from '../helpers/media.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';

const MEDIA = new URL('../../local/sandbox/catalogue/media/tea/', import.meta.url);
let site: RecordedSite;
let settings: YtdlpSettings;
let parts: Buffer;

const video = (src: string): string => `<video><source src="${src}" type="video/mp4"></video>`;
const page = (...videos: string[]) => ({
  type: 'text/html',
  body: `<!doctype html><html><head><title>Tea</title></head><body>${videos.join('')}</body></html>`,
});

beforeAll(async () => {
  site = await RecordedSite.start();
  settings = { ...site.settings(), pluginDir: undefined };
  const tea = { type: 'video/mp4', body: await readFile(new URL('160.mp4', MEDIA)) };
  site.set('/tea.mp4', tea);
  site.set('/more-tea.mp4', tea);
  site.set('/one', page(video('/tea.mp4')));
  site.set('/two', page(video('/tea.mp4'), video('/more-tea.mp4')));
  site.set('/many', page(...Array.from({ length: 40 }, (_, index) => video(`/tea.mp4?number=${String(index)}`))));
  site.set('/live.m3u8', {
    type: 'application/vnd.apple.mpegurl',
    body: '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:4,\n/part7.ts\n#EXTINF:4,\n/part8.ts\n',
  });
  parts = await transportStream(new URL('160.mp4', MEDIA));
  site.set('/part1.ts', { type: 'video/mp2t', body: parts });
  site.set('/ended.m3u8', {
    type: 'application/vnd.apple.mpegurl',
    body: '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:60\n#EXTINF:60,\n/part1.ts\n#EXT-X-ENDLIST\n',
  });
  site.set('/ended', page('<video><source src="/ended.m3u8" type="application/x-mpegURL"></video>'));
  site.set('/broadcast', page('<video><source src="/live.m3u8" type="application/x-mpegURL"></video>'));
  site.set('/none', page('<p>No media here.</p>'));
});
afterAll(() => site.stop());

function fetchPage(path: string, format: 'audio' | 'video' = 'video', use?: (media: FetchedMedia) => Promise<void>) {
  return inFolder(async (call) => {
    const options = { ...call, maxMediaSeconds: 600, onProgress: () => undefined };
    const fetched = await createYtdlpSource(settings).fetchPage({ url: `${site.url}${path}`, format }, options);
    await use?.(fetched);
    return fetched;
  });
}

describe('a page of any site', () => {
  it.each(rows(['/one'], ['/tea.mp4']))('gives its one video: %s', async (path) => {
    await fetchPage(path, 'video', async ({ paths }) => {
      expect(paths).toHaveLength(1);
      expect((await stat(paths[0]!)).size).toBe((await stat(new URL('160.mp4', MEDIA))).size);
      expect((await probe(paths[0]!)).streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
    });
  });

  it.each(rows(['/many'], ['/two']))(
    'is refused when it holds several videos, and none of them is fetched: %s',
    async (path) => {
      site.requests.length = 0;
      await expect(fetchPage(path)).rejects.toMatchObject({
        code: 'unsupported',
        message: 'The page holds several videos. Request one of them by its own page.',
      });
      expect(site.requests).toContain(path);
    },
  );

  it('gives a recording that comes in parts', async () => {
    await fetchPage('/ended', 'video', async ({ paths }) => {
      expect((await stat(paths[0]!)).size).toBe(parts.length);
    });
  });

  it.each(rows(['/broadcast'], ['/live.m3u8']))('is refused when it is a broadcast that goes on: %s', async (path) => {
    await expect(fetchPage(path)).rejects.toMatchObject({
      code: 'live',
      message: 'The video is a live broadcast that has not ended.',
    });
  });

  it.each([
    ['/none', 'unsupported', 'The page cannot be read.'],
    ['/nothing', 'removed', 'The page was removed or does not exist.'],
  ])('fails when there is nothing on it, and says so of the page: %s', async (path, code, message) => {
    await expect(fetchPage(path)).rejects.toMatchObject({ code, message });
  });
});
