import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { keepChannel, keepTranscript } from '../helpers/unread/large-answers.ts';
import { ask, type Reader } from '../helpers/unread/reader.ts';
import { until } from '../helpers/until.ts';

const STALLED_MS = 600;
const STREAM_BYTES = 1 << 20;
let facades: Facades;
let channel: { readonly method: string; readonly body: string };
let transcript: string;
beforeAll(async () => {
  facades = await startFacades(90, {
    isLoopback: false,
    connections: { stalledMs: STALLED_MS, headersMs: 500, requestMs: 700 },
    // The budget allows two streamed answers.
    answerBudget: { perCallerBytes: 2 * STREAM_BYTES, inAllBytes: 3 * STREAM_BYTES },
  });
  // The answer is larger than the buffers of the two sockets.
  channel = { method: 'POST', body: await keepChannel(facades, 20_000) };
  transcript = await keepTranscript(facades, 8);
});
afterAll(() => facades.close());

const keyed = async (): Promise<Record<string, string>> => {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  await facades.deps.accounts.open(key.id, undefined);
  return { Authorization: `Bearer ${key.text}` };
};
const asService = (): Record<string, string> => ({ Authorization: `Bearer ${facades.rpcToken}` });
const channelUrl = (): string => `${facades.url}/api/channel/profile`;
const transcriptOverRpc = (): string =>
  `${facades.rpcUrl}/transcripts.get?input=${encodeURIComponent(JSON.stringify({ download_id: transcript }))}`;

/** Sends a text and reads the whole answer. */
async function send(url: string, text: string): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const pieces: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (piece: Buffer) => pieces.push(piece));
  const closed = once(socket, 'close');
  socket.write(text);
  return { socket, answer: closed.then(() => Buffer.concat(pieces).toString('utf8')) };
}

describe('a reader of a large answer', () => {
  it.each([
    ['a list, over REST', () => ask(channelUrl(), channel)],
    ['a transcript, over REST', () => ask(`${facades.url}/api/transcripts/${transcript}`)],
    ['a transcript, over tRPC', () => ask(transcriptOverRpc(), { headers: asService() })],
  ])('that reads nothing is disconnected, and its share of the budget is released: %s', async (_how, open) => {
    const stalled = await open();
    expect(await stalled.head()).toMatch(/^HTTP\/1.1 200/);
    // Sent bytes do not prevent the end of the connection.
    await until(() => {
      stalled.socket.write('\r\n');
      return stalled.isCut();
    });
    // A single answer may have any size.
    const again = await open();
    expect(await again.head()).toMatch(/^HTTP\/1.1 200/);
    again.socket.destroy();
  });

  it('that is slow gets the complete answer', async () => {
    const sinceMs = Date.now();
    const reader = await ask(channelUrl(), channel);
    let bytes = Buffer.byteLength(await reader.head(), 'latin1');
    let end = '';
    for (let isOver = false; !isOver;) {
      const piece = reader.socket.read() as Buffer | null;
      if (piece !== null) {
        bytes += piece.length;
        end = piece.subarray(-20).toString('latin1');
        await delay(10);
      } else {
        isOver = reader.isCut() || end.endsWith('0\r\n\r\n');
        if (!isOver) await Promise.race([once(reader.socket, 'readable'), once(reader.socket, 'close')]);
      }
    }
    expect(end).toMatch(/0\r\n\r\n$/);
    expect(bytes).toBeGreaterThan(10 << 20);
    // The reader took several times as long as a stalled connection lives.
    expect(Date.now() - sinceMs).toBeGreaterThan(2 * STALLED_MS);
    reader.socket.destroy();
  });

  it('may wait for its job longer than a stalled connection lives', async () => {
    const pending = { vidnet_video_id: 'slow-caller' };
    facades.jobs.waitFor.mockImplementationOnce(() => delay(3 * STALLED_MS));
    const answer = await fetch(`${facades.url}/api/downloads/audio`, {
      method: 'POST',
      headers: { Prefer: 'wait=5' },
      body: JSON.stringify(pending),
    });
    expect(answer.status).toBe(202);
  });
});

describe('large answers that are not read', () => {
  const headsOf = async (headers: readonly Record<string, string>[]) => {
    const readers: { reader: Reader; head: string }[] = [];
    for (const one of headers) {
      const reader = await ask(channelUrl(), { ...channel, headers: one });
      readers.push({ reader, head: await reader.head() });
    }
    return {
      heads: readers.map(({ head }) => head),
      leave: () => readers.forEach(({ reader }) => reader.socket.destroy()),
    };
  };

  it('are refused beyond the limit of a caller until it reads or leaves', async () => {
    const key = await keyed();
    const { heads, leave } = await headsOf([key, key, key]);
    expect(heads.map((head) => head.slice(9, 12))).toEqual(['200', '200', '429']);
    expect(heads[2]).toMatch(/retry-after: 5\r\n/);
    expect(heads[2]).toContain('"code":"answers_unread"');
    leave();
    await until(async () => {
      const answer = await fetch(channelUrl(), { ...channel, headers: key });
      await answer.arrayBuffer();
      return answer.status === 200;
    });
  });

  it('are refused beyond the limit of all callers', async () => {
    const { heads, leave } = await headsOf([await keyed(), await keyed(), await keyed(), await keyed()]);
    expect(heads.map((head) => head.slice(9, 12))).toEqual(['200', '200', '200', '503']);
    expect(heads[3]).toMatch(/retry-after: 5\r\n/);
    expect(heads[3]).toContain('"code":"unavailable"');
    leave();
  });

  it('do not block small requests', async () => {
    const key = await keyed();
    const { leave } = await headsOf([key, key]);
    expect((await fetch(`${facades.url}/api/account`, { headers: key })).status).toBe(200);
    leave();
  });
});

// The tests are concurrent, because each waits for the time limit of a request.
describe.concurrent('a request that does not arrive', () => {
  const half = (auth = ''): string =>
    `POST /api/imgnet/profile HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${auth}Content-Length: 40\r\n\r\n{"url":`;

  const serviceLine = (): string => `Authorization: ${asService()['Authorization'] ?? ''}\r\n`;

  it.each([
    ['its head, over REST', () => facades.url, () => 'POST /api/imgnet/profile HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow'],
    ['anything, over REST', () => facades.url, () => ''],
    ['its body, over REST', () => facades.url, half],
    ['its head, over tRPC', () => facades.rpcUrl, () => 'POST /webhook.test HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow'],
    [
      'its body, over tRPC',
      () => facades.rpcUrl,
      () => half(serviceLine()).replace('/api/imgnet/profile', '/webhook.test'),
    ],
  ])('is answered 408 and closed: %s', async (_what, urlOf, textOf) => {
    const errors = vi.spyOn(facades.deps.log, 'error');
    const { answer } = await send(urlOf(), textOf());
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(text).toContain('"code":"request_timeout"');
    expect(errors).not.toHaveBeenCalled();
  });

  it('is counted when it breaks off, and is not reported as an error of the database', async () => {
    const errors = vi.spyOn(facades.deps.log, 'error');
    const key = await keyed();
    const remaining = async (): Promise<number> =>
      Number((await fetch(`${facades.url}/api/account`, { headers: key })).headers.get('ratelimit-remaining'));
    expect(await remaining()).toBe(89);
    for (let sent = 0; sent < 5; sent += 1) {
      const { socket } = await send(facades.url, half(`Authorization: ${key['Authorization']!}\r\n`));
      await delay(20);
      socket.destroy();
    }
    const looked: number[] = [];
    await until(async () => {
      looked.push(await remaining());
      // Each of these requests counts as well.
      return looked.at(-1) === 89 - 5 - looked.length;
    });
    expect(errors).not.toHaveBeenCalled();
  });
});
