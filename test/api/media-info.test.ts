import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import { mediaInfo, mediaInfoSchema } from '../../contract/kinds/media-info.ts';
import { ulid } from 'ulid';
import { anAudioJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => vi.restoreAllMocks());

const request = (url: unknown) => facades.post('/api/media/info', JSON.stringify({ url }));

describe('POST /api/media/info', () => {
  it.each([
    [['https://www.youtube.com/watch?v=k3fP0aTz9Qw', 'https://youtu.be/k3fP0aTz9Qw?si=a', 'k3fP0aTz9Qw'], 'video'],
    [
      ['https://www.youtube.com/@evening-talks', 'https://m.youtube.com/@Evening-Talks/videos', '@evening-talks'],
      'channel',
    ],
    [
      ['https://www.youtube.com/playlist?list=PL12345', 'https://m.youtube.com/playlist?feature=x&list=PL12345'],
      'page',
    ],
    [['https://example.com/talk', 'https://EXAMPLE.com/talk?utm_source=a#t=5'], 'page'],
  ])('uses one subject for all links of a page: %j', async (urls, subject) => {
    const { start } = facades.jobs;
    start.mockReset().mockResolvedValue('started');
    for (const url of urls) expect((await request(url)).status).toBe(202);
    const inputs = start.mock.calls.map(([, { subjectId, parameters }]) => ({ subjectId, parameters }));
    expect(new Set(inputs.map(({ subjectId }) => subjectId)).size).toBe(1);
    expect(inputs[0]).toMatchObject({ parameters: { page: { subject } } });
  });

  it('reads pages of the video platform if other sites are off', async () => {
    const sites = vi.spyOn(facades.deps.platforms, 'mediaSites', 'get').mockReturnValue('off');
    expect((await request('https://www.youtube.com/playlist?list=PLoff')).status).toBe(202);
    expect((await request('https://example.com/off')).status).toBe(503);
    sites.mockRestore();
  });

  it.each(['http://10.0.0.1/a', 'file:///etc/passwd', 'two words', '', 5, undefined])(
    'rejects a URL that is not a public page: %s',
    async (url) => {
      const answer = await request(url);
      const body = answer.body as unknown as ErrorBody;
      expect([answer.status, body.code]).toEqual([400, 'invalid_input']);
      expect(body.details).toMatchObject([{ path: 'url' }]);
    },
  );

  it('answers with the facts for ten minutes, and lists the job only by its type', async () => {
    const { start } = facades.jobs;
    start.mockReset().mockResolvedValue('started');
    const { deps } = facades;
    const subjectId = 'media_info/tenMinutes1';
    const job = anAudioJob({ type: 'media_info', subjectId, recordId: ulid(), mediaId: 'tenMinutes1', price: 0 });
    await deps.contents.putFacts(job.recordId, mediaInfo.sample.facts);
    await keepJob(deps.records, { ...job, parameters: mediaInfo.sample.parameters });
    await deps.records.finish(job.recordId, { status: 'success', result: {} }, new Date().toISOString());
    const known = await deps.records.get(job.recordId);
    await deps.records.noteLatest(known!);
    await deps.records.noteSuccess(known!);
    const answer = await request('tenMinutes1');
    expect([answer.status, start.mock.calls.length]).toEqual([200, 0]);
    const look = mediaInfoSchema.parse(answer.body);
    expect(look).toMatchObject({ kind: 'video', title: 'Shall we take the bridge', cost: '0.000', entry_count: null });
    const listed = async (query: string) =>
      (await (await fetch(`${facades.url}/api/downloads${query}`)).json()) as {
        downloads: { id: string; type: string }[];
      };
    expect((await listed('?type=media_info')).downloads.map(({ id }) => id)).toContain(job.recordId);
    expect((await listed('')).downloads.map(({ type }) => type)).not.toContain('media_info');
    vi.spyOn(deps, 'now').mockReturnValue(Date.now() + 601_000);
    expect((await request('tenMinutes1')).status).toBe(202);
  });
});
