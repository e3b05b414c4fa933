import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { PackedList } from '../../contract/http/streams.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
afterEach(() => vi.restoreAllMocks());

/** A page is 1 MB, more than the buffers between the api and a caller hold. */
const page = (number: number): object[] =>
  Array.from({ length: 100 }, (_, n) => ({ videoId: `v${String(number)}-${String(n)}`, title: 'x'.repeat(10_000) }));

/** Creates a finished list that lacks pieces. @returns a request for it */
async function aLongList(
  handle: string,
  kept: number,
  encoding = 'identity',
): Promise<(signal?: AbortSignal) => Promise<Response>> {
  const mediaId = `@${handle}`;
  const parameters = { channel: { kind: 'handle', name: handle } } as const;
  const job = { ...anAudioJob(), type: 'list', subjectId: `list/${mediaId}`, mediaId, parameters } as const;
  const { contents, deps, url } = facades;
  await contents.putFacts(job.recordId, { channelId: 'UC1', title: 'Tea', url: 'https://video.example/' });
  const list = { recordId: job.recordId, name: 'videos' } as const;
  for (let number = 1; number <= kept; number += 1) await contents.putPiece({ ...list, number }, page(number));
  await keepJob(deps.records, job, {
    status: 'success',
    result: { lists: { videos: { pieces: 100, items: 10_000 } } },
  });
  const headers = { 'accept-encoding': encoding };
  const init = { method: 'POST', headers, body: JSON.stringify({ url: mediaId }) };
  return (signal) => fetch(`${url}/api/channel/profile`, { ...init, ...(signal === undefined ? {} : { signal }) });
}

it.each(['identity', 'gzip'])(
  'an answer whose list has lost a piece is cut off and logged, in %s',
  async (encoding) => {
    const logged = vi.spyOn(facades.deps.log, 'error');
    const ask = await aLongList(`tea-time-${encoding}`, 2, encoding);
    const answer = await ask();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(logged.mock.lastCall).toMatchObject([{ path: '/api/channel/profile' }, 'an answer was cut short']);
  },
);

it('the read of a list stops without an error when the caller has left', async () => {
  const logged = vi.spyOn(facades.deps.log, 'error');
  const ask = await aLongList('tea-break', 0);
  let read = 0;
  let isClosed = false;
  const items = Buffer.from(JSON.stringify(page(1)).slice(1, -1));
  const list = new PackedList<never>(1_000, async function* () {
    try {
      for (; read < 1_000; read += 1)
        yield await delay(5, { gzip: gzipSync(items), unpack: () => Promise.resolve(items) });
    } finally {
      isClosed = true;
    }
  });
  vi.spyOn(facades.deps.rendering.contents, 'list').mockReturnValue(list);
  const caller = new AbortController();
  const answer = await ask(caller.signal);
  await answer.body?.getReader().read();
  caller.abort();
  await until(() => isClosed);
  expect(read).toBeLessThan(100);
  expect(logged).not.toHaveBeenCalled();
});
