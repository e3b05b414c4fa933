import { request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIDEO_CASES, type VideoCase } from '../../local/sandbox/catalogue.ts';
import { BUILT_IN_CATALOGUE } from '../../local/sandbox/server.ts';
import { ask } from '../helpers/page-requests.ts';
import { pageOf, startTestSandbox, ytDlp, type TestSandbox } from '../helpers/sandbox.ts';

const AUDIO = ['--format', 'ba[ext=m4a]/ba[acodec^=mp4a]/ba/b'];

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.stop());

const get = (path: string, init?: RequestInit): Promise<Response> => fetch(sandbox.url + path, init);

describe('a page of another site', () => {
  const host = (): string => new URL(sandbox.url).host;
  const off = '{"video":"*","mode":"off"}';

  it.each([
    { what: 'reads nothing under a name that leads here', path: '/stats', headers: { host: 'rebound.test' } },
    {
      what: 'steers nothing under such a name',
      ...{ method: 'POST' as const, path: '/misbehave', body: off },
      headers: { host: 'rebound.test', origin: 'http://rebound.test' },
    },
    {
      what: 'steers nothing by a form',
      ...{ method: 'POST' as const, path: '/misbehave', body: off },
      headers: { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
    },
    {
      what: 'resets no counters by a form of an older browser',
      ...{ method: 'POST' as const, path: '/stats/reset', headers: { origin: 'null' } },
    },
    {
      what: 'asks nothing of the Data API by a script',
      path: '/youtube/v3/channels?key=sandbox-key&part=id&id=x',
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    },
    { what: 'reads no media from another port', path: '/', headers: { 'sec-fetch-site': 'same-site' } },
  ])('$what', async (request) => {
    const answer = await ask(Number(new URL(sandbox.url).port), {
      ...request,
      headers: { host: host(), ...request.headers },
    });
    expect(answer).toMatchObject({ status: 403 });
  });

  it('is another thing than the own page, and than a link that somebody follows', async () => {
    const port = Number(new URL(sandbox.url).port);
    const own = { host: host(), origin: sandbox.url, 'sec-fetch-site': 'same-origin' };
    expect(await ask(port, { method: 'POST', path: '/misbehave', body: off, headers: own })).toMatchObject({
      status: 200,
    });
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(await ask(port, { headers: { host: host(), ...link } })).toMatchObject({ status: 200 });
  });
});

describe('the index', () => {
  it('lists videos and channels, and has room for the other platform', async () => {
    const index = (await (await get('/')).json()) as Record<string, Record<string, unknown>[]>;
    expect(Object.keys(index)).toEqual(['videos', 'channels', 'accounts', 'posts']);
    const cases = index['videos']!.map((video) => video['case']);
    expect(cases).toEqual(
      expect.arrayContaining(['ordinary', 'long', 'private', 'removed', 'geo_blocked', 'live', 'silent']),
    );
    for (const video of index['videos']!) {
      expect(video['id']).toMatch(/^[\w-]{11}$/);
      expect(video['title']).toBeTypeOf('string');
    }
    expect(index['channels']).toContainEqual({
      url: expect.stringContaining(`${sandbox.url}/@`) as string,
      case: 'ordinary',
    });
  });

  it('names what a video can be request for', () => {
    expect(new Set(sandbox.catalogue.map((video) => video.case))).toEqual(new Set(VIDEO_CASES));
  });

  it('hands the service its addresses, and a key of the Data API unless it shall use yt-dlp', async () => {
    expect(sandbox.env).toMatchObject({
      VIDNET_VIDEO_URL: `${sandbox.url}/watch?v={id}`,
      VIDNET_CHANNEL_URL: `${sandbox.url}/{path}`,
      VIDNET_API_URL: `${sandbox.url}/`,
      VIDNET_API_KEY: 'sandbox-key',
    });
    const keyless = await startTestSandbox({ dataApi: false });
    expect(keyless.env).not.toHaveProperty('VIDNET_API_KEY');
    await keyless.stop();
  });

  it('counts and switches the other platform too', async () => {
    await sandbox.post('/misbehave', { target: 'dataset', mode: 'slow', seconds: 1 });
    const switches = async (): Promise<unknown> => await (await get('/misbehave')).json();
    expect(await switches()).toMatchObject({ switches: [{ target: 'dataset', mode: 'slow' }] });
    await sandbox.post('/misbehave', { video: '*', mode: 'off' });
    expect(await switches()).toEqual({ switches: [] });
    expect(await (await get('/stats')).json()).toHaveProperty('dataset');
    expect(sandbox.env).toHaveProperty('IMGNET_API_URL');
  });

  it('states an hour for the long video', () => {
    const long = sandbox.catalogue.find((video) => video.case === 'long')!;
    expect(Math.abs(long.durationSeconds! - 3600)).toBeLessThan(1);
    expect(long.formats.map(({ facts }) => Math.round(facts.durationSeconds / 10))).toEqual([360, 360, 360]);
  });

  it('has other ids with another salt, and the same ones with the same', async () => {
    const [one, same, other] = await Promise.all(['a', 'a', 'b'].map((idSalt) => startTestSandbox({ idSalt })));
    const ids = ({ catalogue }: TestSandbox): string[] => catalogue.map((video) => video.id);
    expect(ids(one!)).toEqual(ids(same!));
    expect(ids(one!).filter((id) => ids(other!).includes(id))).toEqual([]);
    expect(ids(other!).some((id) => id.startsWith('-'))).toBe(true);
    await Promise.all([one!.stop(), same!.stop(), other!.stop()]);
  });
});

describe('yt-dlp on the sandbox', () => {
  it('fetches the best M4A as it is, in one transfer', async () => {
    const id = sandbox.idOf('ordinary');
    const before = await sandbox.stats(id);
    const result = await ytDlp(sandbox, pageOf(sandbox, id), [...AUDIO, '--output', 'best.%(ext)s']);
    expect(result).toMatchObject({ exitCode: 0, stderrTail: '' });
    const fetched = await readFile(join(sandbox.folder, 'best.m4a'));
    expect(fetched.equals(await readFile(join(BUILT_IN_CATALOGUE, 'media/tea/140.m4a')))).toBe(true);
    expect(await sandbox.stats(id)).toEqual({
      page_reads: before['page_reads']! + 1,
      media_requests: before['media_requests']! + 1,
      media_bytes: before['media_bytes']! + fetched.length,
      complete_media_bodies: before['complete_media_bodies']! + 1,
      caption_requests: 0,
      comment_pages: 0,
    });
  });

  it('sees separate sound and pictures, captions and facts, as on the real platform', async () => {
    const result = await ytDlp(sandbox, pageOf(sandbox, sandbox.idOf('ordinary')), ['--dump-single-json']);
    const video = JSON.parse(result.stdout) as Record<string, unknown> & { formats: Record<string, unknown>[] };
    expect(video).toMatchObject({
      title: 'How long should tea brew?',
      channel: 'Evening Talks',
      uploader_id: expect.stringMatching(/^@/) as string,
      timestamp: 1_773_511_200,
      live_status: 'not_live',
      availability: 'public',
      subtitles: { en: [{ ext: 'json3' }, { ext: 'vtt' }] },
      automatic_captions: { en: [{ ext: 'json3' }, { ext: 'vtt' }], 'en-orig': expect.anything() as unknown },
      comment_count: 7,
      like_count: 312,
    });
    expect(video['duration']).toBeCloseTo(28.5, 1);
    const shapes = video.formats.map((one) => [
      one['ext'],
      one['vcodec'] === 'none',
      one['acodec'] === 'none',
      one['height'],
    ]);
    expect(shapes.sort()).toEqual([
      ['m4a', true, false, null],
      ['m4a', true, false, null],
      ...[1080, 144, 360, 720].map((height) => ['mp4', false, true, height]),
      ['webm', true, false, null],
    ]);
  });

  it('takes an id that begins with a dash', async () => {
    const id = sandbox.catalogue.find((video) => video.id.startsWith('-'))!.id;
    const result = await ytDlp(sandbox, pageOf(sandbox, id), ['--simulate', '--print', 'id']);
    expect(result.stdout.trim()).toBe(id);
  });

  it.each<[VideoCase, RegExp]>([
    ['private', /Private video\. Sign in if you've been granted access to this video/],
    ['removed', /Video unavailable\. This video has been removed by the uploader/],
    [
      'geo_blocked',
      /The uploader has not made this video available in your country\nThis video is available in Iceland/,
    ],
    ['age_restricted', /Sign in to confirm your age/],
    ['members_only', /Join this channel to get access to members-only content/],
    ['upcoming', /This live event will begin in/],
  ])('is refused a video that is %s, in the words of the real platform', async (wanted, words) => {
    const result = await ytDlp(sandbox, pageOf(sandbox, sandbox.idOf(wanted)), AUDIO);
    expect(result.exitCode).toBe(1);
    expect(result.stderrTail).toMatch(words);
    expect(result.stderrTail).toMatch(/^ERROR: \[/m);
    expect(await sandbox.stats(sandbox.idOf(wanted))).toMatchObject({ media_requests: 0 });
  });

  it('answers that an unknown video is unavailable', async () => {
    const result = await ytDlp(sandbox, pageOf(sandbox, 'nobodyHasIt'), AUDIO);
    expect(result.stderrTail).toMatch(/^ERROR: .*Video unavailable$/m);
  });

  it('learns from the data that a broadcast is live', async () => {
    const result = await ytDlp(sandbox, pageOf(sandbox, sandbox.idOf('live')), [
      ...['--simulate', '--print', 'live_status', '--print', 'duration'],
    ]);
    expect(result.stdout).toBe('is_live\nNA\n');
  });

  it.each<[VideoCase, string]>([
    ['hd1080', 'm4a mp4a 1080 avc1'],
    ['hd720', 'm4a mp4a 720 avc1'],
    ['vp9_opus', 'webm opus 720 vp9'],
    ['no_audio', 'NA none 360 avc1'],
  ])('finds what a %s video promises', async (wanted, best) => {
    const { formats } = sandbox.catalogue.find((video) => video.case === wanted)!;
    const facts = formats.map((one) => one.facts);
    const sound = facts.find(({ acodec }) => acodec !== 'none');
    const picture = facts.filter(({ vcodec }) => vcodec !== 'none').sort((a, b) => b.height! - a.height!)[0]!;
    const codec = (name: string): string => name.split('.')[0]!;
    expect(
      `${sound?.ext ?? 'NA'} ${codec(sound?.acodec ?? 'none')} ${String(picture.height)} ${codec(picture.vcodec)}`,
    ).toBe(best);
    const result = await ytDlp(sandbox, pageOf(sandbox, sandbox.idOf(wanted)), [
      ...['--format', 'bv*+ba/bv*', '--simulate', '--print', '%(height)s'],
    ]);
    expect(result).toMatchObject({ exitCode: 0, stdout: `${String(picture.height)}\n` });
  });

  it('finds Opus where there is no AAC', async () => {
    const url = pageOf(sandbox, sandbox.idOf('opus_only'));
    const result = await ytDlp(sandbox, url, [...AUDIO, '--simulate', '--print', '%(ext)s %(acodec)s %(vcodec)s']);
    expect(result.stdout.trim()).toBe('webm opus none');
  });

  it('lists a channel without what the platform hides', async () => {
    const index = (await (await get('/')).json()) as { channels: { url: string }[] };
    const result = await ytDlp(sandbox, index.channels[0]!.url, ['--flat-playlist', '--print', 'id']);
    const listed = result.stdout.trim().split('\n');
    const hidden = ['private', 'removed'];
    expect(listed.sort()).toEqual(
      sandbox.catalogue
        .filter((video) => !hidden.includes(video.case))
        .map((video) => video.id)
        .sort(),
    );
  });
});

describe('byte ranges', () => {
  it.each([
    { range: 'bytes=0-9', status: 206, length: 10, contentRange: 'bytes 0-9/235912' },
    { range: 'bytes=-5', status: 206, length: 5, contentRange: 'bytes 235907-235911/235912' },
    { range: 'bytes=235907-', status: 206, length: 5, contentRange: 'bytes 235907-235911/235912' },
    { range: 'bytes=999999999-', status: 416, length: 0, contentRange: 'bytes */235912' },
    { range: 'bytes=9-1', status: 200, length: 235_912, contentRange: null },
    { range: 'bytes=0-1,5-6', status: 200, length: 235_912, contentRange: null },
  ])('$range is answered with $status', async ({ range, status, length, contentRange }) => {
    const response = await get(`/media/${sandbox.idOf('ordinary')}/140`, { headers: { range } });
    expect(response.status).toBe(status);
    expect((await response.arrayBuffer()).byteLength).toBe(length);
    expect(response.headers.get('content-range')).toBe(contentRange);
  });

  it('are ignored when the file is not the one that If-Range names', async () => {
    const path = `/media/${sandbox.idOf('ordinary')}/140`;
    const etag = (await get(path, { method: 'HEAD' })).headers.get('etag')!;
    const status = async (ifRange: string): Promise<number> => {
      const response = await get(path, { headers: { range: 'bytes=0-9', 'if-range': ifRange } });
      await response.arrayBuffer();
      return response.status;
    };
    expect([await status(etag), await status('"another"')]).toEqual([206, 200]);
  });
});

describe('requests that mean harm', () => {
  it.each([
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/media/ID/..%2f..%2fcatalogue.json',
    '/media/ID/%zz',
    '/media/ID/140/more',
    '/captions/ID/..%2fen.vtt',
    '//elsewhere/',
    '/channel/../@x',
  ])('%s is 404', async (path) => {
    expect(await rawStatus(path.replace('ID', sandbox.idOf('ordinary')))).toBe(404);
  });

  it('an address that is none is 400', async () => {
    expect(await rawStatus('http://[')).toBe(400);
  });

  it('leave the sandbox alive', async () => {
    expect((await get('/', { method: 'DELETE' })).status).toBe(405);
    expect((await get('/misbehave', { method: 'POST', body: 'x'.repeat(1_000_000) })).status).toBe(400);
    expect((await get('/')).status).toBe(200);
  });
});

/** fetch would tidy the path up before sending it. */
function rawStatus(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(sandbox.url, { path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
