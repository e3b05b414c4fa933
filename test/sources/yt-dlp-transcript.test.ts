import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import { createTranscriptSource } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';

let sandbox: TestSandbox;
let site: RecordedSite;
let settings: YtdlpSettings;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  site = await RecordedSite.start();
  settings = site.settings({
    videoUrlTemplate: sandbox.env.VIDNET_VIDEO_URL,
    pluginDir: sandbox.env.YTDLP_PLUGIN_DIR,
  });
});
afterAll(async () => {
  await site.stop();
  await sandbox.stop();
});

const fetchFrom = (from: YtdlpSettings, id: string, language: string): Promise<TranscriptFacts> =>
  inFolder((call) => createTranscriptSource(from).fetch(id, language, call));
const track = (url: string, name = 'English'): object[] => [{ ext: 'json3', url, name, impersonate: true }];
const json3 = (text: string): object => ({
  wireMagic: 'pb3',
  events: [{ tStartMs: 0, dDurationMs: 1_500, segs: [{ utf8: text }] }],
});
/** A video as the real platform's extractor gives it. */
const recorded = (id: string, more: object): void =>
  site.set(`/recorded/${id}`, {
    body: { id, title: 'Recorded', formats: [{ format_id: '140', url: `${site.url}/140.m4a`, ext: 'm4a' }], ...more },
  });

describe('a transcript from the sandbox', () => {
  it("is the manual captions' text with times, and the facts of the video", async () => {
    const id = sandbox.idOf('ordinary');
    const { video, track: used, lines } = await fetchFrom(settings, id, 'en');
    expect(video).toMatchObject({
      videoId: id,
      link: sandbox.env.VIDNET_VIDEO_URL.replace('{id}', id),
      title: 'How long should tea brew?',
      publishedAt: '2026-03-14 18:00:00',
      viewCount: 5210,
      likeCount: 312,
      channelName: 'Evening Talks',
    });
    expect(video.durationSeconds).toBeCloseTo(28.5, 0);
    expect(used).toEqual({ language: 'en', kind: 'manual', name: 'English' });
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.map(({ text }) => text).join(' ')).toMatch(/^Welcome back\. Today we talk about tea/);
    expect(lines.every(({ startSeconds }, index) => startSeconds >= (lines[index - 1]?.startSeconds ?? 0))).toBe(true);
  });

  it.each(rows([['en', 'en-GB']], [['pt-BR', 'pt-BR']]))(
    'finds captions of a region: %s',
    async (requested, language) => {
      const { track: used } = await fetchFrom(settings, sandbox.idOf('regional_captions'), requested);
      expect(used).toMatchObject({ language, kind: 'manual' });
    },
  );

  it('has each word of rolling automatic captions once', async () => {
    const { track: used, lines } = await fetchFrom(settings, sandbox.idOf('automatic_captions'), 'en');
    expect(used).toMatchObject({ language: 'en', kind: 'automatic' });
    const texts = lines.map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(2);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it.each([
    ['regional_captions', 'xx', 'There are no captions in `xx`. There are: en-GB, pt-BR.'],
    ['automatic_captions', 'de', 'There are no captions in `de`. There are: en (automatic).'],
    ['no_captions', 'en', 'The video has no captions.'],
  ] as const)(
    'is refused with what there is, and no translation counts: %s in %s',
    async (wanted, language, message) => {
      await expect(fetchFrom(settings, sandbox.idOf(wanted), language)).rejects.toMatchObject({
        code: 'no_captions',
        message,
      });
    },
  );

  // One that the extractor's words tell, and those that its facts tell. The words of the others: failures.test.ts.
  it.each(
    rows(
      [
        ['private', 'private'],
        ['live', 'live'],
        ['upcoming', 'not_started'],
      ],
      [
        ['removed', 'removed'],
        ['geo_blocked', 'geo_blocked'],
        ['age_restricted', 'age_restricted'],
        ['members_only', 'members_only'],
      ],
    ),
  )('of a video that is %s fails as %s', async (wanted, code) => {
    await expect(fetchFrom(settings, sandbox.idOf(wanted), 'en')).rejects.toMatchObject({ code });
  });

  it('of an unknown ID fails as removed', async () => {
    await expect(fetchFrom(settings, 'AAAAAAAAAAA', 'en')).rejects.toMatchObject({
      code: 'removed',
      message: 'The video was removed or does not exist.',
    });
  });

  it('distinguishes a refusal from missing captions', async () => {
    await sandbox.post('/misbehave', { video: '*', target: 'page', mode: '429' });
    await expect(fetchFrom(settings, sandbox.idOf('ordinary'), 'en')).rejects.toMatchObject({ code: 'rate_limited' });
    await sandbox.post('/misbehave', { video: '*', mode: 'off' });
  });
});

describe('a transcript of recorded shapes', () => {
  it('ignores machine translations, and marks recognised captions as automatic', async () => {
    site.set('/spoken', { body: json3('what was said') });
    recorded('asr', {
      subtitles: { live_chat: [{ ext: 'json', url: `${site.url}/chat`, protocol: 'youtube_live_chat_replay' }] },
      automatic_captions: {
        'de-orig': track(`${site.url}/spoken?lang=de`, 'German (Original)'),
        de: track(`${site.url}/spoken?lang=de`, 'German'),
        en: track(`${site.url}/spoken?lang=de&tlang=en`),
      },
    });
    await expect(fetchFrom(site.settings(), 'asr', 'en')).rejects.toMatchObject({
      code: 'no_captions',
      message: 'There are no captions in `en`. There are: de (automatic).',
    });
    const { track: used, lines } = await fetchFrom(site.settings(), 'asr', 'de');
    expect(used).toMatchObject({ language: 'de', kind: 'automatic' });
    expect(lines).toEqual([{ startSeconds: 0, durationSeconds: 1.5, text: 'what was said' }]);
  });

  it('has clean text, and captions that end with the video', async () => {
    const said = (tStartMs: number, utf8: string): object => ({ tStartMs, dDurationMs: 60_000, segs: [{ utf8 }] });
    site.set('/damaged', {
      body: { events: [null, said(-5_000, 'a\u0000\ud83d'), said(29_000, 'b'), said(31_000, 'c')] },
    });
    const facts = { title: 'Tea\u0000\n\ud800time', channel: '\u0007Ann\tLee', description: 'one\r\ntwo\u001b[0m' };
    recorded('damaged', { ...facts, duration: 29.6, subtitles: { en: track(`${site.url}/damaged`) } });
    const { video, lines } = await fetchFrom(site.settings(), 'damaged', 'en');
    expect(video).toMatchObject({ title: 'Tea \ufffdtime', channelName: 'Ann Lee', description: 'one\ntwo[0m' });
    expect(lines).toEqual([
      { startSeconds: 0, durationSeconds: 30, text: 'a\ufffd' },
      { startSeconds: 29, durationSeconds: 1, text: 'b' },
      { startSeconds: 31, durationSeconds: 60, text: 'c' },
    ]);
  });

  it.each(
    rows(
      [['fr', 'from srt']],
      [
        ['en', 'from vtt'],
        ['it', undefined],
      ],
    ),
  )('reads WebVTT and SubRip where there is nothing better: %s is %s', async (language, text) => {
    site.set('/a.vtt', { body: 'WEBVTT\n\n00:01.000 --> 00:02.500\nfrom vtt\n' });
    site.set('/a.srt', { body: '1\n00:00:01,000 --> 00:00:02,500\nfrom srt\n' });
    recorded('formats', {
      subtitles: {
        en: [
          { ext: 'ttml', url: `${site.url}/none` },
          { ext: 'vtt', url: `${site.url}/a.vtt` },
        ],
        fr: [{ ext: 'srt', url: `${site.url}/a.srt` }],
        it: [{ ext: 'srv1', url: `${site.url}/none` }],
      },
    });
    const lines = fetchFrom(site.settings(), 'formats', language).then((transcript) => transcript.lines);
    if (text === undefined) await expect(lines).rejects.toMatchObject({ code: 'no_captions' });
    else await expect(lines).resolves.toEqual([{ startSeconds: 1, durationSeconds: 1.5, text }]);
  });

  it.each(
    rows(
      [
        [429, 'rate_limited'],
        [404, 'upstream_error'],
      ],
      [[500, 'upstream_error']],
    ),
  )('fails when its captions are answered with %i, and asks for nothing else then', async (status, code) => {
    site.set('/refused', { status, body: '' });
    recorded(`refused-${String(status)}`, {
      subtitles: { en: track(`${site.url}/refused`) },
      webpage_url: `${site.url}/recorded/refused-${String(status)}`,
    });
    site.requests.splice(0);
    await expect(fetchFrom(site.settings(), `refused-${String(status)}`, 'en')).rejects.toMatchObject({ code });
    expect(site.requests.filter((path) => path.startsWith('/recorded/'))).toHaveLength(1);
  });

  it.each(rows([['nothing', '', 'incomplete']], [['a web page', '<html>no</html>', 'upstream_error']]))(
    'fails when its captions are %s',
    async (name, body, code) => {
      site.set('/odd', { body });
      recorded('odd', { subtitles: { en: track(`${site.url}/odd`, name) } });
      await expect(fetchFrom(site.settings(), 'odd', 'en')).rejects.toMatchObject({ code });
    },
  );

  const emptyTrack = { wireMagic: 'pb3', pens: [{}], events: [] };

  it('uses the next best captions when the best are empty', async () => {
    site.set('/empty', { body: emptyTrack });
    site.set('/blank', { body: json3(' \n') });
    site.set('/spoken', { body: json3('what was said') });
    recorded('empty-manual', {
      subtitles: { en: track(`${site.url}/empty`), 'en-GB': track(`${site.url}/blank`) },
      automatic_captions: { 'en-orig': track(`${site.url}/spoken`), en: track(`${site.url}/spoken`, 'English (auto)') },
    });
    const { track: used, lines } = await fetchFrom(site.settings(), 'empty-manual', 'en');
    expect(used).toEqual({ language: 'en', kind: 'automatic', name: 'English (auto)' });
    expect(lines).toMatchObject([{ text: 'what was said' }]);
  });

  it.each(
    rows(
      [[4, 'The captions in `en` are empty: 3 tracks were read.']],
      [
        [1, 'The captions in `en` are empty.'],
        [2, 'The captions in `en` are empty: 2 tracks were read.'],
      ],
    ),
  )('says so when all captions are empty, and reads 3 at most: %i', async (count, message) => {
    site.set('/empty', { body: emptyTrack });
    const codes = ['en', 'en-AU', 'en-GB', 'en-IN'].slice(0, count);
    recorded('all-empty', {
      subtitles: Object.fromEntries(codes.map((code) => [code, track(`${site.url}/empty`)])),
    });
    site.requests.splice(0);
    await expect(fetchFrom(site.settings(), 'all-empty', 'en')).rejects.toMatchObject({ code: 'no_captions', message });
    expect(site.requests.filter((path) => path === '/empty')).toHaveLength(Math.min(count, 3));
  });

  it('fails with the reason of a warning, also when the extractor fails afterwards', async () => {
    const refusal = { title: null, formats: [], warnings: ['Video unavailable'] };
    recorded('nobody', refusal);
    await expect(fetchFrom(site.settings(), 'nobody', 'en')).rejects.toMatchObject({ code: 'removed' });
    recorded('broken', { ...refusal, then_breaks: 'liveStatus' });
    await expect(fetchFrom(site.settings(), 'broken', 'en')).rejects.toMatchObject({ code: 'removed' });
    recorded('broken', { warnings: [], then_breaks: 'liveStatus' });
    await expect(fetchFrom(site.settings(), 'broken', 'en')).rejects.toMatchObject({ code: 'upstream_error' });
  });

  it('needs no media formats', async () => {
    site.set('/spoken', { body: json3('spoken') });
    recorded('formatless', {
      formats: [],
      warnings: ['n challenge solving failed: Some formats may be missing.'],
      subtitles: { en: track(`${site.url}/spoken`) },
    });
    expect((await fetchFrom(site.settings(), 'formatless', 'en')).lines).toHaveLength(1);
  });

  it('names the setting that is missing for media and captions', async () => {
    recorded('no-runtime', { formats: [], warnings: ['No supported JavaScript runtime could be found.'] });
    await expect(fetchFrom(site.settings(), 'no-runtime', 'en')).rejects.toMatchObject({
      code: 'tool_missing',
      message: expect.stringContaining('YTDLP_JS_RUNTIME'),
    });
  });

  it.each(rows(['😀'.repeat(50_000)], ['Ü'.repeat(5_000)]))(
    'invents no time of day, and keeps a whole title and a description up to its bound: text %#',
    async (text) => {
      site.set('/spoken', { body: json3('spoken') });
      const title = 'T'.repeat(100);
      const subtitles = { en: track(`${site.url}/spoken`) };
      recorded('day', { title, description: text, upload_date: '20260314', subtitles });
      const { description, ...video } = (await fetchFrom(site.settings(), 'day', 'en')).video;
      expect(video).toMatchObject({ title });
      expect(video.publishedAt).toBeUndefined();
      expect(video.viewCount).toBeUndefined();
      if (text.length <= 20_000) expect(description).toBe(text);
      else expect(description).toMatch(/^(?:😀)+$/u);
      expect(description!.length).toBeLessThanOrEqual(20_000);
    },
  );

  it('ends when its signal is aborted', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(
      inFolder((call) => createTranscriptSource(site.settings()).fetch('day', 'en', call), { signal: stop.signal }),
    ).rejects.toThrow('enough');
  });
});
