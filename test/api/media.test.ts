import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import { mediaResultSchema } from '../../contract/kinds/media.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => vi.restoreAllMocks());

const request = (body: object) => facades.post('/api/downloads/media', JSON.stringify(body));

async function allowing(mediaSites: 'off' | 'all' | readonly string[], body: object) {
  const { platforms } = facades.deps;
  const before = platforms.mediaSites;
  Object.assign(platforms, { mediaSites });
  try {
    return await request(body);
  } finally {
    Object.assign(platforms, { mediaSites: before });
  }
}

describe('POST /api/downloads/media', () => {
  it('uses one subject for all URLs of a page and a format', async () => {
    const { start } = facades.jobs;
    start.mockReset().mockResolvedValue('started');
    const first = await request({ url: 'https://example.com/talk?utm_source=a', format: 'audio' });
    expect(first.status).toBe(202);
    expect(mediaResultSchema.parse(first.body).data).toMatchObject({
      type: 'media',
      url: 'https://example.com/talk',
      format: 'audio',
      status: 'pending',
      cost: '0.005',
      file_urls: null,
    });
    await request({ url: 'HTTPS://EXAMPLE.com:443/talk#t=5', format: 'audio' });
    const other = await request({ url: 'https://example.com/talk', format: 'video' });
    expect(mediaResultSchema.parse(other.body).data).toMatchObject({ format: 'video', cost: '0.010' });
    const [one, two, three] = start.mock.calls.map(([workflow, { subjectId }]) => [workflow, subjectId]);
    expect(one).toEqual(['media', expect.stringMatching(/^media\/audio\/[0-9a-f]{32}$/)]);
    expect(two).toEqual(one);
    expect(three).toEqual(['media', one?.[1]?.replace('audio', 'video')]);
  });

  it('uses one subject for all links of a video of the video platform', async () => {
    const { start } = facades.jobs;
    start.mockReset().mockResolvedValue('started');
    const platforms = vi.spyOn(facades.deps.platforms, 'vidnetVideoUrl', 'get');
    platforms.mockReturnValue('https://www.youtube.com/watch?v={id}');
    const links = ['youtu.be/k3fP0aTz9Qw?si=a', 'https://m.youtube.com/watch?t=3&amp;v=k3fP0aTz9Qw'];
    for (const url of links) expect((await request({ url, format: 'audio' })).status).toBe(202);
    platforms.mockRestore();
    const url = 'https://www.youtube.com/watch?v=k3fP0aTz9Qw';
    expect(start.mock.calls.map(([, { parameters }]) => parameters)).toEqual(
      links.map(() => ({ page: { url, format: 'audio' } })),
    );
  });

  it.each([
    ['k3fP0aTz9Qw', /http/],
    ['file:///etc/passwd', /http/],
    ['ftp://example.com/a.mp4', /http/],
    ['http://10.0.0.1/video', /not public/],
    ['http://169.254.169.254/latest/meta-data', /not public/],
    ['http://printer.local/video', /private network/],
    ['https://user:secret@example.com/', /user name/],
    ['https://example.com:6379/', /Port 6379/],
    ['ytsearch:tea', /http/],
  ])('refuses a URL that is not a public page: %s', async (url, reason) => {
    const answer = await request({ url, format: 'video' });
    const body = answer.body as unknown as ErrorBody;
    expect([answer.status, body.code]).toEqual([400, 'invalid_input']);
    expect(body.details).toEqual([{ path: 'url', message: expect.stringMatching(reason) }]);
  });

  it.each([
    [{ url: 'https://example.com/' }, 'format'],
    [{ url: 'https://example.com/', format: 'mp3' }, 'format'],
    [{ format: 'audio' }, 'url'],
  ])('names the field that is wrong: %j', async (body, path) => {
    const answer = await request(body);
    expect(answer.status).toBe(400);
    expect((answer.body as unknown as ErrorBody).details).toEqual([expect.objectContaining({ path })]);
  });

  it('accepts only pages of the configured sites and their subdomains', async () => {
    const sites = ['example.org'];
    expect((await allowing(sites, { url: 'https://example.org/1', format: 'audio' })).status).toBe(202);
    expect((await allowing(sites, { url: 'https://www.example.org/1', format: 'audio' })).status).toBe(202);
    const refused = await allowing(sites, { url: 'https://notexample.org/1', format: 'audio' });
    expect(refused.status).toBe(400);
    expect((refused.body as unknown as ErrorBody).error).toBe('url: Pages of notexample.org are not fetched here.');
  });

  it('answers 503 with the name of the setting if it is off', async () => {
    const answer = await allowing('off', { url: 'https://example.com/off', format: 'audio' });
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 'unavailable', error: expect.stringContaining('MEDIA_SITES') });
  });
});
