import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobInput } from '../../contract/job-input.ts';
import { imgnetAudioResultSchema } from '../../contract/kinds/imgnet-audio.ts';
import { imgnetContentResultSchema } from '../../contract/kinds/imgnet-content.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const HALF_HOUR_MS = 30 * 60_000;
let facades: Facades;

beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  vi.mocked(facades.deps.now).mockImplementation(() => Date.now());
  facades.jobs.start.mockReset().mockResolvedValue('started');
});

const aCode = (): string => `D${ulid().slice(-10)}`;
const started = (): JobInput[] => facades.jobs.start.mock.calls.map(([, input]) => input);
const ask = (what: 'content' | 'audio', body: object) => facades.post(`/api/imgnet/${what}`, JSON.stringify(body));
const failure = { status: 'failed', failure: { code: 'removed', message: 'It is gone.' } } as const;

describe('a request for content', () => {
  it('is pending at the price of the content and the profile', async () => {
    const code = aCode();
    const { status, headers, body } = await ask('content', { url: `https://www.instagram.com/p/${code}/` });
    expect([status, headers.get('retry-after')]).toEqual([202, '30']);
    expect(imgnetContentResultSchema.parse(body)).toEqual(body);
    const [job] = started();
    expect(job).toMatchObject({
      ...{ type: 'imgnet_post', subjectId: `imgnet_post/p/${code}`, mediaId: code, price: 15 },
      parameters: { post: { kind: 'post', shortcode: code }, profilePrice: 10 },
    });
    expect(body).toEqual({
      ...{ status: 'pending', message: expect.any(String), download_id: job?.recordId, cost: '0.015' },
      download: { id: job?.recordId, type: 'imgnet_post', status: 'pending' },
    });
  });

  it('is pending at the price of the content if the profile of the owner is stored', async () => {
    const { records } = facades.deps;
    const account = `tea.${ulid().toLowerCase().slice(-12)}`;
    const codes = [aCode(), aCode()];
    await records.noteOwners([[`imgnet_audio/${codes[0]!}`, account]]);
    await records.noteOwners([[`imgnet_audio/${codes[1]!}`, `${account}.other`]]);
    const profile = await facades.post('/api/imgnet/profile', JSON.stringify({ url: `@${account}` }));
    await finishRecord(records, String(profile.body['download_id']), { status: 'success', result: {} });
    facades.jobs.start.mockClear();
    const costs = [];
    const offered = [];
    for (const code of codes) {
      const { subjects } = await facades.rpc.resolve.query({ url: `https://www.instagram.com/p/${code}/` });
      offered.push(subjects[0]?.offers[0]?.price);
      costs.push((await ask('content', { url: `https://www.instagram.com/p/${code}/` })).body['cost']);
    }
    expect(costs).toEqual(['0.005', '0.015']);
    expect(offered).toEqual(costs);
    expect(started()).toMatchObject([
      { price: 5, parameters: { profilePrice: 0 } },
      { price: 15, parameters: { profilePrice: 10 } },
    ]);
    // The profile is no longer fresh.
    vi.mocked(facades.deps.now).mockImplementation(() => Date.now() + 2 * HALF_HOUR_MS + 1_000);
    const url = `https://www.instagram.com/reel/${codes[0]!}/`;
    expect((await ask('content', { url })).body['cost']).toBe('0.015');
  });

  it.each([
    ['p', (code: string) => `instagram.com/p/${code}`],
    ['p', (code: string) => `https://m.instagram.com/some.one/p/${code}/?igsh=abc&img_index=2`],
    ['reel', (code: string) => `https://www.instagram.com/reel/${code}/`],
    ['reel', (code: string) => `HTTPS://INSTAGRAM.COM/reels/${code}#top`],
  ])('has the subject /%s/ for every form of its URL (%#)', async (kind, write) => {
    const code = aCode();
    expect((await ask('content', { url: write(code) })).status).toBe(202);
    expect(started().map(({ subjectId }) => subjectId)).toEqual([`imgnet_post/${kind}/${code}`]);
  });

  it('reports a failure for exactly 30 minutes', async () => {
    const url = `https://www.instagram.com/reel/${aCode()}/`;
    const id = String((await ask('content', { url })).body['download_id']);
    const failed = await finishRecord(facades.deps.records, id, failure);
    if (failed.status !== 'failed') throw new Error('it did not fail');
    const askAt = async (afterMs: number): Promise<unknown> => {
      vi.mocked(facades.deps.now).mockImplementation(() => Date.parse(failed.finishedAt) + afterMs);
      return (await ask('content', { url })).body['last_response'];
    };
    const expected = { download_id: id, status: 'failed', response: 'It is gone.', created_at: failed.createdAt };
    expect(await askAt(0)).toEqual(expected);
    expect(await askAt(HALF_HOUR_MS - 1_000)).toEqual(expected);
    expect(await askAt(HALF_HOUR_MS + 1_000)).toBeUndefined();
  });
});

describe('a request for audio', () => {
  it('has one pending record for both kinds of URL', async () => {
    const code = aCode();
    const { status, body } = await ask('audio', { url: `https://www.instagram.com/reel/${code}/` });
    expect(status).toBe(202);
    expect(imgnetAudioResultSchema.parse(body)).toEqual(body);
    expect(body['data']).toMatchObject({ type: 'imgnet_audio', media_id: code, cost: '0.005', audio_url: null });
    await ask('audio', { url: `https://www.instagram.com/p/${code}/` });
    expect(new Set(started().map(({ subjectId }) => subjectId))).toEqual(new Set([`imgnet_audio/${code}`]));
  });
});

describe.each(['content', 'audio'] as const)('%s', (what) => {
  it('answers 503 and starts no job if the platform is not configured', async () => {
    const isConfigured = vi.spyOn(facades.deps.platforms, 'isImgnetConfigured', 'get').mockReturnValue(false);
    const { status, body } = await ask(what, { url: `https://www.instagram.com/p/${aCode()}/` });
    isConfigured.mockRestore();
    expect([status, body['code']]).toEqual([503, 'unavailable']);
    expect(body['error']).toContain('IMGNET_API_TOKEN');
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('is refused for a share link and for a story, with the reason', async () => {
    for (const [path, reason] of [
      ['share/reel/DAbCdEfGhIj', /^url: A share link/],
      ['stories/some.one/3570766765028588805', /^url: A story/],
    ] as const) {
      const { status, body } = await ask(what, { url: `https://www.instagram.com/${path}/` });
      expect([status, body['code'], body['error']]).toEqual([400, 'invalid_input', expect.stringMatching(reason)]);
    }
  });

  it('is refused for a webhook to a private address', async () => {
    const url = `https://www.instagram.com/p/${aCode()}/`;
    const { status, body } = await ask(what, { url, include_webhook: 'http://10.0.0.1/' });
    expect([status, body['code']]).toEqual([400, 'webhook_target_forbidden']);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('joins a running job with its webhook', async () => {
    const url = `https://www.instagram.com/p/${aCode()}/`;
    await ask(what, { url });
    const [running] = started();
    if (running === undefined) throw new Error('nothing was started');
    facades.jobs.start.mockResolvedValue({ running, runId: 'run' });
    const { status, body } = await ask(what, { url, include_webhook: 'https://example.com/hook' });
    expect(status).toBe(202);
    expect(JSON.stringify(body)).toContain(running.recordId);
    expect(facades.jobs.subscribe).toHaveBeenCalledWith(
      { subjectId: running.subjectId, runId: 'run' },
      'https://example.com/hook',
      'anonymous',
    );
  });
});
