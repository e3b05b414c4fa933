import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createClient,
  followAllEvents,
  followDownload,
  followEvents,
  getDownload,
  JobFailedError,
  readFile,
  requestAudio,
  TapedeckError,
  verifyWebhook,
  waitFor,
} from '../../clients/typescript/src/index.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

/** Starts a service that sends these answers in order. @returns a client of it, and the requests that it received */
async function serviceThat(...answers: readonly Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = await serveOnLoopback((request, response) => {
    requests.push(request);
    const answer = answers[requests.length - 1];
    if (answer === undefined) response.destroy();
    else answer(response, request);
  });
  stop = server.stop;
  return { client: createClient({ url: `${server.url}/`, key: 'td_key' }), url: server.url, requests };
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (status: number, code: string, more: object = {}): Answer =>
  json(status, { error: 'No.', code, ...more }, status === 429 || status === 503 ? { 'Retry-After': '0' } : {});
const record = (status: string, more: object = {}) => ({ data: { id: ID, type: 'audio', status, ...more } });
const ID = '01JD0000000000000000000000';
const body = { vidnet_video_id: 'dQw4w9WgXcQ' };

/** @returns what was thrown */
async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: unknown) => error,
  );
}

describe('a request', () => {
  it('is repeated after Retry-After with the same body', async () => {
    const { client, requests } = await serviceThat(refusal(429, 'rate_limited'), (response, request) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => json(202, { sent: Buffer.concat(pieces).toString() })(response, request));
    });
    expect(await requestAudio({ client, body })).toEqual({ sent: JSON.stringify(body) });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer td_key', 'Bearer td_key']);
  });

  it('is repeated after 503 only if it is a GET request', async () => {
    const away = refusal(503, 'unavailable');
    const { client, requests } = await serviceThat(away, json(200, record('success')), away);
    await getDownload({ client, path: { downloadId: ID } });
    expect(await thrownBy(requestAudio({ client, body }))).toMatchObject({
      ...{ name: 'TapedeckError', code: 'unavailable', status: 503, retryAfterSeconds: 0 },
    });
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
  });

  it('is not repeated forever', async () => {
    const { url, requests } = await serviceThat(...Array.from({ length: 4 }, () => refusal(429, 'rate_limited')));
    const thrown = await thrownBy(requestAudio({ client: createClient({ url, retries: 2 }), body }));
    expect([(thrown as TapedeckError).code, requests.length]).toEqual(['rate_limited', 3]);
  });

  it('that is refused throws the code and the details of the service', async () => {
    const details = [{ path: 'vidnet_video_id', message: 'must be an id' }];
    const { client } = await serviceThat(
      refusal(400, 'invalid_input', { details }),
      refusal(402, 'insufficient_credit', { price: '0.010', credit: '0.004' }),
      refusal(409, 'pending_duplicate', { id: ID }),
      (response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>'),
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{'),
    );
    const facts: unknown[] = [];
    for (let count = 0; count < 5; count++) facts.push(await thrownBy(requestAudio({ client, body })));
    expect(facts).toMatchObject([
      { message: 'No.', code: 'invalid_input', status: 400, details },
      { code: 'insufficient_credit', price: '0.010', credit: '0.004', details: [] },
      { code: 'pending_duplicate', id: ID },
      { code: 'unexpected_answer', status: 502 },
      { code: 'unexpected_answer', status: 200, cause: expect.any(SyntaxError) },
    ]);
    for (const one of facts) expect(one).toBeInstanceOf(TapedeckError);
  });

  it('whose job failed throws the reason', async () => {
    const { client } = await serviceThat(
      json(400, record('failed', { response: 'The video is private.' })),
      json(500, { status: 'failed', message: 'The platform gave no answer.', download_id: ID }),
    );
    const [first, second] = [
      await thrownBy(requestAudio({ client, body })),
      await thrownBy(requestAudio({ client, body })),
    ];
    expect([first, second].every((one) => one instanceof JobFailedError)).toBe(true);
    expect([first, second]).toMatchObject([
      { message: 'The video is private.', result: record('failed') },
      { message: 'The platform gave no answer.' },
    ]);
  });

  it('throws if the service cannot be reached or the signal is aborted', async () => {
    const { client } = await serviceThat();
    expect(await thrownBy(requestAudio({ client, body }))).toMatchObject({ code: 'unreachable', status: undefined });
    const signal = AbortSignal.abort(new Error('no more'));
    expect(await thrownBy(getDownload({ client, path: { downloadId: ID }, signal }))).toBe(signal.reason);
  });
});

const event = (id: string, body: object): string => `data: ${JSON.stringify(body)}\nid: ${id}\n\n`;
const stream =
  (end: (response: ServerResponse) => void, ...events: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(['retry: 2000\n\n', ...events].join(''), () => end(response));
  };
const ended: Answer = (response) => response.writeHead(204).end();
const close = (response: ServerResponse): void => void response.end();
const lose = (response: ServerResponse): void => void response.destroy();

describe('following a job', () => {
  it('continues after a lost connection from the last event to the end', async () => {
    const progress = { stage: 'downloading', percent: 40 };
    const { client, requests } = await serviceThat(
      stream(lose, event('1', record('pending', { progress }))),
      stream(close, event('2', record('success'))),
      ended,
    );
    const received: unknown[] = [];
    expect(await waitFor(client, ID, { onProgress: (one) => received.push(one) })).toEqual(record('success'));
    expect(received).toEqual([progress]);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2']);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer td_key'));
  });

  it('ends with the reason why the job failed or cannot be followed', async () => {
    const { client, requests } = await serviceThat(
      stream(close, event('1', record('failed', { response: 'The video is private.' }))),
      ended,
      refusal(404, 'not_found'),
    );
    expect(await thrownBy(waitFor(client, ID))).toMatchObject({
      name: 'JobFailedError',
      message: 'The video is private.',
    });
    expect(await thrownBy(waitFor(client, ID))).toMatchObject({ name: 'TapedeckError', code: 'not_found' });
    expect(requests).toHaveLength(3);
  });

  it('continues the events of all downloads after the last ID, even without an event', async () => {
    const { client, requests } = await serviceThat(
      stream(lose, event('1', record('pending')), 'id: 2\n\n'),
      stream(close, event('3', record('success'))),
    );
    const received: unknown[] = [];
    for await (const one of followAllEvents(client)) if (received.push(one) === 2) break;
    expect(received).toEqual([record('pending'), record('success')]);
    expect(requests.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
      ['/api/downloads/events', undefined],
      ['/api/downloads/events', '2'],
    ]);
  });

  it('by the operation of the API reads the same events and reports each to the caller', async () => {
    const { client, requests } = await serviceThat(
      stream(lose, event('1', record('pending'))),
      stream(close, event('2', record('success'))),
      ended,
      refusal(404, 'not_found'),
    );
    const reported: unknown[] = [];
    const callbacks = { onSseEvent: (one: unknown) => void reported.push(one), sseDefaultRetryDelay: 1 };
    const follow = () => followDownload({ client, path: { downloadId: ID }, ...callbacks });
    const received: unknown[] = [];
    for await (const one of (await follow()).stream) received.push(one);
    expect(received).toEqual([record('pending'), record('success')]);
    expect(reported).toEqual(received.map((data) => ({ data })));
    expect(requests.map(({ url, headers }) => [url, headers['last-event-id'], headers.authorization])).toEqual(
      [undefined, '1', '2'].map((id) => [`/api/downloads/${ID}/events`, id, 'Bearer td_key']),
    );
    expect(await thrownBy((await follow()).stream.next())).toMatchObject({ code: 'not_found' });
  });

  it('closes the connection if the caller stops', async () => {
    const open = stream(() => undefined, event('1', record('pending')));
    const { client, requests } = await serviceThat(open, open);
    for await (const received of followEvents(client, ID)) {
      expect(received).toEqual(record('pending'));
      break;
    }
    const given = new AbortController();
    const reason = new Error('no more');
    const waits = followEvents(client, ID, { signal: given.signal });
    await waits.next();
    const next = thrownBy(waits.next());
    given.abort(reason);
    expect(await next).toBe(reason);
    await Promise.all(
      requests.map(async ({ socket }) => {
        if (!socket.destroyed) await once(socket, 'close');
      }),
    );
  });
});

describe('a file', () => {
  const contents = Buffer.from('abcdefghij');
  const headers = { ETag: '"one"', 'Content-Length': '10' };
  const half: Answer = (response) => {
    response.writeHead(200, headers);
    response.write(contents.subarray(0, 4), () => response.destroy());
  };
  const linked: Answer = (response, request) =>
    json(200, record('success', { file_urls: [`http://${request.headers.host!}/files/x/a%20b.m4a?Signature=s`] }))(
      response,
      request,
    );
  const wholeOf = async (pieces: AsyncIterable<Uint8Array>) => {
    let text = '';
    for await (const piece of pieces) text += Buffer.from(piece).toString();
    return text;
  };

  it('is read on from the same offset after a lost connection, with a new link and without the key', async () => {
    const rest: Answer = (response) =>
      response.writeHead(206, { ETag: '"one"', 'Content-Length': '6' }).end(contents.subarray(4));
    const { client, requests } = await serviceThat(linked, half, linked, rest);
    const file = await readFile(client, ID);
    expect(file).toMatchObject({ name: 'a b.m4a', sizeBytes: 10 });
    expect(await wholeOf(file.contents)).toBe(contents.toString());
    expect(requests[3]!.headers).toMatchObject({ range: 'bytes=4-', 'if-range': '"one"' });
    expect(requests.map(({ headers: sent }) => 'authorization' in sent)).toEqual([true, false, true, false]);
  });

  it.each([
    ['x/..%2F..%2Fevil.m4a', 'evil.m4a'],
    ['x/..%5Cevil.m4a', 'evil.m4a'],
    ['x/%2E%2E%2F', ID],
    ['x/a%2F..', ID],
  ])('has a name that cannot lead to another folder: %s', async (path, name) => {
    const link: Answer = (response, request) =>
      json(200, record('success', { file_urls: [`http://${request.headers.host!}/files/${path}`] }))(response, request);
    const whole: Answer = (response) => response.writeHead(200, headers).end(contents);
    const { client } = await serviceThat(link, whole);
    const file = await readFile(client, ID);
    expect(file.name).toBe(name);
    expect(await wholeOf(file.contents)).toBe(contents.toString());
  });

  it('that has changed in the meantime is rejected', async () => {
    const other: Answer = (response) => response.writeHead(200, { ...headers, ETag: '"two"' }).end(contents);
    const { client } = await serviceThat(linked, half, linked, other);
    const file = await readFile(client, ID);
    expect(await thrownBy(wholeOf(file.contents))).toMatchObject({ code: 'precondition_failed' });
  });

  it('that does not exist throws not_found', async () => {
    const { client } = await serviceThat(
      json(200, record('success', { file_urls: null })),
      linked,
      refusal(404, 'not_found'),
    );
    for (let count = 0; count < 2; count++) {
      expect(await thrownBy(readFile(client, ID))).toMatchObject({ code: 'not_found' });
    }
  });
});

describe('a webhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const older = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  const text = JSON.stringify(record('success', { title: 'Größe' }));
  const signed = (sentAt: Date): Record<string, string> => ({
    'webhook-id': 'one',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': `v1,%% v2,AAAA ${new Webhook(secret).sign('one', sentAt, text)}`,
    'X-Webhook-Endpoint': 'downloads/audio',
  });
  const checked = (more: object) => verifyWebhook({ secret, headers: signed(new Date()), body: text, ...more });

  it('is verified by the signature of Standard Webhooks', async () => {
    const forms = [
      {},
      { headers: new Headers(signed(new Date())) },
      { body: Buffer.from(text) },
      { secret: [older, secret] },
    ];
    for (const form of forms) {
      expect(await checked(form)).toMatchObject({
        endpoint: 'downloads/audio',
        id: 'one',
        body: JSON.parse(text) as object,
      });
    }
  });

  it('is rejected if it is changed, old, unsigned or signed with another secret', async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const { 'webhook-signature': _signature, ...unsigned } = signed(new Date());
    const refused = [
      { body: `${text} ` },
      { secret: older },
      { headers: signed(minutesAgo(6)) },
      { headers: signed(minutesAgo(-6)) },
      { headers: { ...signed(new Date()), 'webhook-timestamp': 'now' } },
      { headers: unsigned },
    ];
    for (const one of refused) expect(await thrownBy(checked(one))).toMatchObject({ name: 'WebhookVerificationError' });
    await expect(checked({ headers: signed(minutesAgo(6)), toleranceSeconds: 600 })).resolves.toMatchObject({
      id: 'one',
    });
    expect(await thrownBy(checked({ secret: 'not a secret' }))).toBeInstanceOf(TypeError);
  });
});
