import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { JobError } from '../../runtime/job-error.ts';
import type { SourceCall } from '../../sources/source-call-options.ts';
import { channelListSchema } from '../../sources/vidnet/data-api/data-api-schemas.ts';
import { createDataApi, type DataApi } from '../../sources/vidnet/data-api/data-api-client.ts';
import { KEY, refuse, sourceCall, startDataApi, type Answering, type DataApiStandIn } from '../helpers/data-api.ts';
import { failureOf } from '../helpers/promises.ts';
import { until } from '../helpers/until.ts';

const CHANNELS = { kind: 'youtube#channelListResponse', items: [] };
const standIns: DataApiStandIn[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(standIns.splice(0).map((one) => one.stop()));
});

async function standIn(answer: Answering): Promise<DataApiStandIn> {
  const one = await startDataApi(answer);
  standIns.push(one);
  return one;
}

function askChannels(api: DataApi, call: SourceCall = sourceCall()): Promise<unknown> {
  return api.begin(call)({
    resource: 'channels',
    params: { part: 'snippet', id: 'UCx' },
    schema: channelListSchema,
  });
}

/** All that a logger could print of an error: hidden fields, causes and stacks too. */
function everythingOf(error: unknown): string {
  const seen = inspect(error, { depth: Infinity, showHidden: true, getters: true, maxStringLength: null });
  return seen + (error instanceof Error ? String(error.stack) : '');
}

describe('a request', () => {
  it('is sent to the base URL with the key', async () => {
    const { api, requests } = await standIn(() => CHANNELS);
    await expect(askChannels(api)).resolves.toEqual({ items: [], nextPageToken: undefined });
    expect(requests.map(({ method, params }) => [method, Object.fromEntries(params)])).toEqual([
      ['channels', { part: 'snippet', id: 'UCx', key: KEY }],
    ]);
  });

  it('keeps the path of the base URL', async () => {
    const one = await standIn(() => CHANNELS);
    await askChannels(createDataApi({ key: KEY, rootUrl: `${one.url}some/where/` }));
    expect(one.requests.map(({ method }) => method)).toEqual(['/some/where/youtube/v3/channels']);
  });

  it.each(['http://127.0.0.1:1', 'not a URL'])('ignores a proxy in the environment, such as %s', async (proxy) => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) vi.stubEnv(name, proxy);
    const { api, requests } = await standIn(() => CHANNELS);
    await askChannels(api);
    expect(requests).toHaveLength(1);
  });

  it('follows no redirect, which would reveal the key', async () => {
    const other = await standIn(() => CHANNELS);
    const { api } = await standIn((_method, _params, res) => {
      res.writeHead(302, { location: `${other.url}youtube/v3/channels` }).end();
      return undefined;
    });
    expect(await failureOf(askChannels(api))).toMatchObject({ name: 'JobError', code: 'upstream_error' });
    expect(other.requests).toEqual([]);
  });

  it.each<[string, Answering]>([
    ['is refused', (_method, _params, res) => refuse(res, 503, { message: 'Not now.' })],
    ['breaks off', (_method, _params, res) => void res.destroy()],
  ])('that %s is not made again: the workflow decides that', async (_what, answer) => {
    const { api, requests } = await standIn(answer);
    expect(await failureOf(askChannels(api))).toMatchObject({ code: 'upstream_error' });
    expect(requests).toHaveLength(1);
  });

  it('succeeds when the server closes the connection during decompression', async () => {
    const padding = randomBytes(4_000_000).toString('base64');
    const zipped = gzipSync(JSON.stringify({ ...CHANNELS, padding }));
    for (const hasLength of [true, false]) {
      const { api } = await standIn((_method, _params, res) => {
        const length = hasLength ? { 'content-length': zipped.length } : {};
        const type = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
        res.writeHead(200, { connection: 'close', ...type, ...length }).end(zipped);
        return undefined;
      });
      await expect(askChannels(api)).resolves.toMatchObject({ items: [] });
    }
  });

  it('takes the time of the next attempt from Retry-After', async () => {
    const before = Date.now();
    const { api } = await standIn((_method, _params, res) => {
      res.setHeader('retry-after', '60');
      return refuse(res, 429, { message: 'Slower.' });
    });
    const failure = await failureOf(askChannels(api));
    expect(failure).toMatchObject({ code: 'rate_limited' });
    expect((failure as JobError).retryAtMs).toBeGreaterThanOrEqual(before + 60_000);
    expect((failure as JobError).retryAtMs).toBeLessThanOrEqual(Date.now() + 60_000);
  });
});

describe('an answer that does not arrive', () => {
  it('in time ends the request', async () => {
    const { api } = await standIn(() => undefined);
    const failure = await failureOf(askChannels(api, sourceCall({ timeoutMs: 200 })));
    expect(failure).toMatchObject({ name: 'JobError', code: 'upstream_timeout' });
  });

  it('in time after its head ends the request', async () => {
    const { api } = await standIn((_method, _params, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('{"kind":');
      return undefined;
    });
    const failure = await failureOf(askChannels(api, sourceCall({ timeoutMs: 200 })));
    expect(failure).toMatchObject({ name: 'JobError', code: 'upstream_timeout' });
  });

  it('sends no request after the timeout of its call', async () => {
    const { api, requests } = await standIn(() => CHANNELS);
    expect(await failureOf(askChannels(api, sourceCall({ timeoutMs: 0 })))).toMatchObject({ code: 'upstream_timeout' });
    expect(requests).toEqual([]);
  });

  it('before the call is aborted ends it with the reason of the signal, and the connection', async () => {
    let isClosed = false;
    const { api, requests } = await standIn((_method, _params, res) => {
      res.on('close', () => (isClosed = true));
      return undefined;
    });
    const stop = new AbortController();
    const failed = failureOf(askChannels(api, sourceCall({ signal: stop.signal })));
    await until(() => requests.length === 1);
    const reason = new Error('the worker stops');
    stop.abort(reason);
    // Long before the time of the call is over.
    await until(() => isClosed, { within: 5_000 });
    expect(await failed).toBe(reason);
    expect(await failureOf(askChannels(api, sourceCall({ signal: stop.signal })))).toBe(reason);
    expect(requests).toHaveLength(1);
  });

  it('because the connection is refused is an upstream failure', async () => {
    const one = await startDataApi(() => CHANNELS);
    await one.stop();
    expect(await failureOf(askChannels(one.api))).toMatchObject({ name: 'JobError', code: 'upstream_error' });
  });

  it('completely is an upstream failure', async () => {
    const { api } = await standIn((_method, _params, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.write('{"kind":', () => res.destroy());
      return undefined;
    });
    expect(await failureOf(askChannels(api))).toMatchObject({ name: 'JobError', code: 'upstream_error' });
  });
});

describe('an invalid answer', () => {
  it.each([
    ['is no JSON', '<html>Welcome to the hotel</html>'],
    ['is JSON of something else', '{}'],
    ['is of another method', '{"kind":"youtube#videoListResponse","items":[]}'],
    ['has no list where one belongs', '{"kind":"youtube#channelListResponse","items":"none"}'],
    ['has a page token that is none', '{"kind":"youtube#channelListResponse","items":[],"nextPageToken":7}'],
    ['is null', 'null'],
    ['is empty', ''],
    ['ends too early', '{"kind":"youtube#channelListRes'],
  ])('%s', async (_what, text) => {
    const { api } = await standIn((_method, _params, res) => {
      res.setHeader('content-type', 'application/json');
      res.end(text);
      return undefined;
    });
    expect(await failureOf(askChannels(api))).toMatchObject({ name: 'JobError', code: 'upstream_error' });
  });

  it('is refused when it has no end', async () => {
    const zipped = gzipSync(Buffer.alloc(33 * 1024 ** 2, ' '));
    const { api } = await standIn((_method, _params, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      res.end(zipped);
      return undefined;
    });
    const failure = await failureOf(askChannels(api));
    const cause = { message: 'the answer is longer than any real one' };
    expect(failure).toMatchObject({ code: 'upstream_error', cause });
  });
});

describe('the key is in no error', () => {
  const leaks = [KEY, encodeURIComponent(KEY), new URLSearchParams({ key: KEY }).toString()];
  const expectNoKey = (error: unknown): void => {
    expect(error).toBeInstanceOf(JobError);
    const text = everythingOf(error);
    for (const leak of leaks) expect(text).not.toContain(leak);
  };

  it('when the refusal repeats it', async () => {
    const { api } = await standIn((_method, params, res) =>
      refuse(res, 400, {
        message: `The key ${params.get('key') ?? ''} is not valid.`,
        errors: [{ reason: 'keyInvalid' }],
      }),
    );
    const failure = await failureOf(askChannels(api));
    expectNoKey(failure);
    expect(everythingOf(failure)).toContain('The key [key] is not valid');
  });

  it('when a connection fails, times out or is invalid', async () => {
    const refused = await startDataApi(() => CHANNELS);
    await refused.stop();
    expectNoKey(await failureOf(askChannels(refused.api)));

    const silent = await standIn(() => undefined);
    expectNoKey(await failureOf(askChannels(silent.api, sourceCall({ timeoutMs: 100 }))));

    const nonsense = await standIn(() => ({ kind: 7 }));
    expectNoKey(await failureOf(askChannels(nonsense.api)));
  });

  it('when a server does not speak HTTP', async () => {
    const server = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const rootUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    const failure = await failureOf(askChannels(createDataApi({ key: KEY, rootUrl })));
    server.close();
    expectNoKey(failure);
    expect(failure).toMatchObject({ code: 'upstream_error' });
  });
});
