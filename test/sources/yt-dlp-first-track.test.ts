import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPTIONS_MAX_BYTES } from '../../contract/request-limits.ts';
import { firstTrackArguments } from '../../sources/vidnet/yt-dlp/yt-dlp-tracks.ts';
import type { YtdlpSettings, YtdlpStarter } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createTranscriptSource } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';
import { warmStarter } from '../helpers/yt-dlp.ts';

let sandbox: TestSandbox;
let site: RecordedSite;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  site = await RecordedSite.start();
});
afterAll(async () => {
  await site.stop();
  await sandbox.stop();
});

/** Fetches a transcript. @returns its track or why there is none, and how many runs of yt-dlp it took */
async function fetchCounted(from: YtdlpSettings, id: string, language: string) {
  let runs = 0;
  const starter: YtdlpStarter = {
    startOf: (program) => {
      runs += 1;
      return warmStarter.startOf(program);
    },
  };
  const outcome = await inFolder((call) => createTranscriptSource({ ...from, starter }).fetch(id, language, call)).then(
    ({ track, lines }) => ({ ...track, text: lines.map(({ text }) => text).join(' ') }),
    (error: unknown) => error,
  );
  return { outcome, runs };
}

const json3 = (text: string): object => ({ events: [{ tStartMs: 0, dDurationMs: 1_500, segs: [{ utf8: text }] }] });
/** As the real platform's extractor gives them, in formats that are read and one that is not. */
const track = (url: string, more: object = {}): object[] =>
  ['json3', 'srv1', 'vtt'].map((ext) => ({
    ...{ ext, url: `${url}&fmt=${ext}`, name: 'Some', impersonate: true, __yt_dlp_client: 'web', ...more },
  }));

/** Fetches a transcript of a recorded video. @returns as above, with the requested captions */
async function fetchRecorded(language: string, video: object) {
  site.set('/recorded/video', {
    body: { id: 'video', title: 'T', formats: [{ format_id: '1', url: `${site.url}/1.m4a`, ext: 'm4a' }], ...video },
  });
  site.requests.splice(0);
  const fetched = await fetchCounted(site.settings(), 'video', language);
  return { ...fetched, requested: site.requests.filter((path) => path !== '/recorded/video') };
}
/** The address of a track that says its own name. */
function saying(name: string): string {
  site.set(`/${name}`, { body: json3(name) });
  return `${site.url}/${name}?v=1`;
}

describe('one run of yt-dlp brings the facts and the captions', () => {
  it.each(rows(['ordinary', 'automatic_captions'], ['regional_captions']))(
    'with one request for each, of a video of the sandbox: %s',
    async (wanted) => {
      const id = sandbox.idOf(wanted);
      const settings = site.settings({
        videoUrlTemplate: sandbox.env.VIDNET_VIDEO_URL,
        pluginDir: sandbox.env.YTDLP_PLUGIN_DIR,
      });
      const { outcome, runs } = await fetchCounted(settings, id, wanted === 'regional_captions' ? 'pt-BR' : 'en');
      expect(outcome).toMatchObject({ text: expect.stringMatching(/\w/) });
      expect(runs).toBe(1);
      expect(await sandbox.stats(id)).toMatchObject({ page_reads: 1, caption_requests: 1 });
    },
  );

  it.each([
    ['manual ones, beside automatic ones and those of regions', 'en', ['en', 'en-GB', 'de'], ['en'], 'manual-en'],
    [
      'automatic ones, where manual ones are of other languages',
      'en',
      ['de', 'eno'],
      ['en', 'en-orig'],
      'automatic-en',
    ],
    ['those of a region', 'pt-br', ['pt-BR', 'pt-PT'], [], 'manual-pt-BR'],
    ['those of the language whose code is the word for all', 'all', ['all', 'en'], [], 'manual-all'],
  ])('with %s', async (_what, language, manual, automatic, expected) => {
    const listed = (kind: string, codes: readonly string[]) =>
      // What was recognised is listed twice, at one address.
      Object.fromEntries(codes.map((code) => [code, track(saying(`${kind}-${code.replace('-orig', '')}`))]));
    const { outcome, runs, requested } = await fetchRecorded(language, {
      subtitles: { ...listed('manual', manual), live_chat: [{ ext: 'json', url: `${site.url}/chat` }] },
      automatic_captions: listed('automatic', automatic),
    });
    expect(outcome).toMatchObject({ text: expected });
    expect({ runs, requested }).toEqual({ runs: 1, requested: [`/${expected}`] });
  });

  it('and reports a refusal of the captions instead of warnings of the page', async () => {
    site.set('/refused', { status: 500, body: '' });
    const refused = await fetchRecorded('en', {
      warnings: ['This video is private'],
      subtitles: { en: track(`${site.url}/refused?v=1`) },
    });
    expect(refused).toMatchObject({ outcome: { code: 'upstream_error' }, runs: 1 });
  });

  it('and captions that are too large are not requested again', async () => {
    site.set('/large', { body: Buffer.alloc(8 * CAPTIONS_MAX_BYTES + 1, ' ') });
    const { outcome, ...counts } = await fetchRecorded('en', { subtitles: { en: track(`${site.url}/large?v=1`) } });
    expect(outcome).toMatchObject({ code: 'too_large' });
    expect(counts).toEqual({ runs: 1, requested: ['/large'] });
  });
});

describe('captions that would not be used are not requested:', () => {
  it.each([
    ['automatic ones where a region has manual ones', { subtitles: ['en-GB'], automatic: ['en'] }, 'manual-en-GB'],
    ['those with a name where some without one follow', { subtitles: ['en-nP7-2PuUl7o', 'en'] }, 'manual-en'],
  ])('%s', async (_what, { subtitles, automatic = [] }: { subtitles: string[]; automatic?: string[] }, used) => {
    const { outcome, requested } = await fetchRecorded('en', {
      subtitles: Object.fromEntries(subtitles.map((code) => [code, track(saying(`manual-${code}`))])),
      automatic_captions: Object.fromEntries(automatic.map((code) => [code, track(saying(`automatic-${code}`))])),
    });
    expect(outcome).toMatchObject({ text: used });
    expect(requested).toEqual([`/${used}`]);
  });

  it('translations by a machine', async () => {
    const { outcome, ...counts } = await fetchRecorded('en', {
      automatic_captions: {
        'de-orig': track(saying('de')),
        de: track(saying('de')),
        en: track(`${saying('de')}&tlang=en`),
      },
    });
    expect(outcome).toMatchObject({ code: 'no_captions' });
    expect(counts).toEqual({ runs: 1, requested: [] });
  });

  it.each(rows(['is_live'], ['is_upcoming']))('those of a broadcast that has not ended (%s)', async (status) => {
    const { requested, runs } = await fetchRecorded('en', {
      live_status: status,
      subtitles: { en: track(saying('live')) },
    });
    expect({ runs, requested }).toEqual({ runs: 1, requested: [] });
  });
});

it.each(
  rows<object>(
    [{ protocol: 'm3u8_native' }],
    [{ fragments: [{ url: 'http://127.0.0.1:1/' }] }, { data: 'what a page says' }, { http_headers: { 'X-A': 'b' } }],
  ),
)('a page does not tell how its captions are fetched: %j', async (more) => {
  const { outcome, ...counts } = await fetchRecorded('en', { subtitles: { en: track(saying('plain'), more) } });
  expect(outcome).toMatchObject({ text: 'plain' });
  expect(counts).toEqual({ runs: 2, requested: ['/plain'] });
});

it.each(['.*', 'en|.*', 'en,all', '-all', '', 'no such tag', 'en:(?P<title>)'])(
  'what is no language tag names no captions in the arguments: %j',
  (language) => {
    expect(firstTrackArguments(language, 1)).toEqual(['--write-subs', '--sub-langs=-all']);
  },
);
