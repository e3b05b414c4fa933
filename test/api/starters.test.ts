import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JobInput, pendingRecordOf } from '../../contract/job-input.ts';
import { downloadListSchema } from '../../contract/kinds/kinds.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
let keys: Record<'key' | 'another key', { readonly id: string; readonly text: string }>;
beforeAll(async () => {
  facades = await startFacades();
  const makeKey = async () => {
    const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
    await facades.deps.accounts.open(key.id, undefined);
    return key;
  };
  keys = { key: await makeKey(), 'another key': await makeKey() };
});
afterAll(() => facades.close());
beforeEach(() => {
  for (const fake of Object.values(facades.jobs)) fake.mockClear();
});

type RestCaller = 'key' | 'another key' | 'no key';
const headersOf = (caller: RestCaller): Record<string, string> =>
  caller === 'no key' ? {} : { authorization: `Bearer ${keys[caller].text}` };
const cancel = async (caller: RestCaller, id: string): Promise<number> =>
  (await fetch(`${facades.url}/downloads/${id}`, { method: 'DELETE', headers: headersOf(caller) })).status;
const videoId = (): string => anAudioJob().mediaId;
const lastStarted = (): JobInput => facades.jobs.start.mock.lastCall![1];

/** The starter in the record of a job. */
const STARTERS: Readonly<Record<string, () => Partial<JobInput>>> = {
  'a key': () => ({ startedBy: keys.key.id, chargedTo: keys.key.id }),
  'a service': () => ({ startedBy: 'service' }),
  'a caller without a key': () => ({ startedBy: 'anonymous' }),
  'another job': () => ({ startedBy: 'job' }),
};

describe('a job of', () => {
  it.each<[string, RestCaller[]]>([
    ['a key', ['key']],
    ['a service', []],
    ['a caller without a key', ['no key']],
    ['another job', []],
  ])('%s can be cancelled by %j, and by internal services', async (starter, allowed) => {
    for (const caller of ['key', 'another key', 'no key'] as const) {
      const { id } = await keepJob(facades.deps.records, anAudioJob(STARTERS[starter]!()));
      expect([caller, await cancel(caller, id)]).toEqual([caller, allowed.includes(caller) ? 202 : 403]);
      expect(facades.jobs.cancel).toHaveBeenCalledTimes(allowed.includes(caller) ? 1 : 0);
      facades.jobs.cancel.mockClear();
    }
    const { id } = await keepJob(facades.deps.records, anAudioJob(STARTERS[starter]!()));
    await facades.rpc.downloads.cancel.mutate({ download_id: id });
    expect(facades.jobs.cancel).toHaveBeenCalledOnce();
  });
});

describe('the caller that starts a job', () => {
  it('is stored in the job and its record, and not shown to callers', async () => {
    const bodies: string[] = [];
    const starters: (string | undefined)[] = [];
    for (const caller of ['key', 'no key'] as const) {
      const answer = await fetch(`${facades.url}/api/downloads/audio`, {
        method: 'POST',
        headers: headersOf(caller),
        body: JSON.stringify({ vidnet_video_id: videoId() }),
      });
      bodies.push(await answer.text());
      starters.push(lastStarted().startedBy);
      const { recordId } = lastStarted();
      bodies.push(await (await fetch(`${facades.url}/downloads/${recordId}`)).text());
      expect(await facades.deps.records.get(recordId)).toMatchObject({ startedBy: starters.at(-1) });
    }
    bodies.push(JSON.stringify(await facades.rpc.downloads.audio.mutate({ vidnet_video_id: videoId() })));
    starters.push(lastStarted().startedBy);
    bodies.push(JSON.stringify(await facades.rpc.downloads.list.query({})));
    expect(starters).toEqual([keys.key.id, 'anonymous', 'service']);
    expect(bodies.join()).not.toMatch(/started_?by/i);
    expect(bodies.join()).not.toContain(keys.key.id);
  });

  it('stays the same when others join', async () => {
    await facades.post('/api/channel/profile', JSON.stringify({ url: '@joined-by-others' }));
    const running = lastStarted();
    facades.jobs.start.mockResolvedValueOnce({ running, runId: 'run' });
    const answer = await fetch(`${facades.url}/api/channel/profile`, {
      method: 'POST',
      headers: { ...headersOf('key'), prefer: 'wait=0' },
      body: JSON.stringify({ url: '@joined-by-others' }),
    });
    expect(answer.status).toBe(202);
    expect(await facades.deps.records.get(running.recordId)).toEqual(pendingRecordOf(running));
    expect(await cancel('key', running.recordId)).toBe(403);
  });
});

describe('the list of downloads of callers without a key', () => {
  it('contains what was started without one, and that of services everything', async () => {
    const mediaId = videoId();
    const ids: Record<string, string> = {};
    for (const [starter, fields] of Object.entries(STARTERS)) {
      ids[starter] = (await keepJob(facades.deps.records, anAudioJob({ ...fields(), mediaId }))).id;
    }
    const list = await (await fetch(`${facades.url}/api/downloads?media_id=${mediaId}`)).json();
    const shown = downloadListSchema.parse(list).downloads.map(({ id }) => id);
    expect(shown.toSorted()).toEqual([ids['a caller without a key'], ids['another job']].toSorted());
    const all = await facades.rpc.downloads.list.query({ media_id: mediaId });
    expect(all.downloads.map(({ id }) => id).toSorted()).toEqual(Object.values(ids).toSorted());
  });
});
