import { readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createTranscriptSource, NoCaptionsError } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import { createYtdlpSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { probe } from '../helpers/media.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';

const MEDIA = new URL('../../local/sandbox/catalogue/media/tea/', import.meta.url);
let site: RecordedSite;
let settings: YtdlpSettings;

beforeAll(async () => {
  site = await RecordedSite.start();
  settings = { ...site.settings({ videoUrlTemplate: `${site.url}/pages/{id}` }), pluginDir: undefined };
  site.set('/tea.mp4', { type: 'video/mp4', body: await readFile(new URL('160.mp4', MEDIA)) });
  site.set('/tea.vtt', { type: 'text/vtt', body: await readFile(new URL('en.vtt', MEDIA)) });
  site.set('/pages/tea', {
    type: 'text/html',
    body: `<!doctype html><html><head><title>Tea</title><meta property="og:description" content="About tea"></head>
      <body><video><source src="/tea.mp4" type="video/mp4">
      <track kind="captions" src="/tea.vtt" srclang="en" label="English"></video></body></html>`,
  });
  site.set('/pages/words', { type: 'text/html', body: '<html><title>Words</title><p>No media here.</p></html>' });
});
afterAll(() => site.stop());

describe('a page without an extractor', () => {
  it('gives its transcript, and no invented facts', async () => {
    const { video, track, lines } = await inFolder((call) => createTranscriptSource(settings).fetch('tea', 'en', call));
    expect(video).toEqual({
      videoId: 'tea',
      link: `${site.url}/pages/tea`,
      title: expect.stringContaining('Tea'),
      description: 'About tea',
    });
    expect(track).toMatchObject({ language: 'en', kind: 'manual' });
    expect(lines[0]?.text).toMatch(/^Welcome back/);
  });

  it('gives the captions of the first language that it has, and otherwise its facts', async () => {
    const page = `${site.url}/pages/tea`;
    const fetch = (languages: readonly string[]) =>
      inFolder((call) => createTranscriptSource(settings).fetch('0'.repeat(32), { languages, page }, call));
    const { video, track } = await fetch(['de', 'en']);
    expect([video.videoId, video.link, track.language]).toEqual([undefined, page, 'en']);
    for (const languages of [['de', 'fr'], []]) {
      const error: unknown = await fetch(languages).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NoCaptionsError);
      expect(error).toMatchObject({ code: 'no_captions', video: { link: page, description: 'About tea' } });
    }
  });

  it('gives its media', async () => {
    await inFolder(async (call) => {
      const fetched = await createYtdlpSource(settings).fetchVideo('tea', {
        ...call,
        maxMediaSeconds: 600,
        onProgress: () => undefined,
      });
      expect(fetched.paths).toHaveLength(1);
      const path = fetched.paths[0]!;
      expect((await stat(path)).size).toBe((await stat(new URL('160.mp4', MEDIA))).size);
      expect((await probe(path)).streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
    });
  });

  it.each(rows([['words', 'unsupported']], [['nothing', 'removed']]))(
    'fails when there is nothing on it: %s',
    async (id, code) => {
      await expect(inFolder((call) => createTranscriptSource(settings).fetch(id, 'en', call))).rejects.toMatchObject({
        code,
      });
    },
  );
});
