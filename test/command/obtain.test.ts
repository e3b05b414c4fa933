import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../command/arguments.ts';
import type { Display } from '../../command/display.ts';
import { fetchAll } from '../../command/fetch-result.ts';
import { createService } from '../../command/reach-service.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';

const ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const VIDEO = { kind: 'video', id: 'kX3vQ9mTz0A', url: 'https://site.example/', note: null };
const OFFER = {
  operation: 'requestAudio',
  path: '/api/downloads/audio',
  needs: [],
  after: null,
  price: '0.005',
  per: 'job',
};
const RESOLVED = { subjects: [{ ...VIDEO, offers: [{ ...OFFER, body: { vidnet_video_id: VIDEO.id } }] }] };

type Answer = (response: ServerResponse) => void;
const json = (status: number, body: object, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
};
const refused = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  json(status, { error: `${code}.`, code, ...more }, headers);

/** Runs a command line on a service that sends the given answers to each path in order, and repeats the last one. */
async function fetched(line: string, answers: Readonly<Record<string, readonly Answer[]>>) {
  const requested: string[] = [];
  const server = await serveOnLoopback((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    requested.push(path);
    const all = path === '/api/resolve' ? [json(200, RESOLVED)] : (answers[path] ?? []);
    const answer = all[Math.min(requested.filter((one) => one === path).length, all.length) - 1];
    if (answer === undefined) refused(404, 'not_found')(response);
    else answer(response);
  });
  const [notes, printed, waiting]: [string[], string[], Set<string>] = [[], [], new Set()];
  const display: Display = {
    work: (title) => ({ show: ({ text }) => notes.push(`${title}: ${text}`), end: () => undefined }),
    total: () => undefined,
    note: (text) => notes.push(text),
    print: (text) => printed.push(text),
    printText: (text) => printed.push(text),
    end: () => undefined,
  };
  const parsed = parseCommandLine(line.split(' '));
  if (parsed.action !== 'fetch') throw new Error('this fetches nothing');
  const { signal } = new AbortController();
  const service = createService({
    ...{ url: server.url, key: undefined, signal, isRetrying: parsed.options.isWaiting },
    onRetry: (seconds) => notes.push(`put off by ${String(seconds)}`),
  });
  const upload = () => Promise.reject(new Error('there is no file'));
  const code = await fetchAll({ service, display, waiting, upload }, { ...parsed, target: { folder: '.' } });
  await server.stop();
  return { code, requested, notes, lines: printed.map((one) => JSON.parse(one) as object), waiting };
}

const record = (status: string, more: object = {}) => ({ data: { id: ID, status, media_id: VIDEO.id, ...more } });
const AUDIO = '/api/downloads/audio';
const EVENTS = `/api/downloads/${ID}/events`;

describe('a requested subject', () => {
  it('joins a job that runs already and is followed to its end', async () => {
    const updates = [record('pending', { progress: { stage: 'fetching', downloaded_bytes: 1_000 } })];
    const end = record('failed', { response: 'The video is private.' });
    const stream: Answer = (response) => {
      const events = [...updates, end].map((one, index) => `data: ${JSON.stringify(one)}\nid: ${String(index)}\n\n`);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(events.join(''));
    };
    const done = await fetched('audio --json one', {
      [AUDIO]: [refused(409, 'pending_duplicate', { id: ID })],
      [EVENTS]: [(response) => response.destroy(), stream],
    });
    expect(done.code).toBe(1);
    expect(done.lines).toEqual([{ input: 'one', status: 'failed', ids: [ID], result: end }]);
    expect(done.notes).toEqual(['one: fetching 1.0 kB', 'one: The video is private.']);
    expect(done.requested).toEqual(['/api/resolve', AUDIO, EVENTS, EVENTS]);
    expect(done.waiting.size).toBe(0);
  });

  it('is requested again after Retry-After, except with --no-wait', async () => {
    const answers = {
      [AUDIO]: [refused(429, 'rate_limited', {}, { 'Retry-After': '0' }), json(500, record('failed'))],
    };
    const patient = await fetched('audio --json one', answers);
    expect([patient.code, patient.requested.length, patient.notes[0]]).toEqual([1, 3, 'put off by 0']);
    const hasty = await fetched('audio --json --no-wait one', answers);
    expect([hasty.code, hasty.requested.length]).toEqual([3, 2]);
    expect(hasty.lines).toMatchObject([{ status: 'error', error: { code: 'rate_limited' } }]);
  });

  it('stops the remaining requests if the key is refused', async () => {
    const done = await fetched('audio --json --jobs 1 one two three', { [AUDIO]: [refused(401, 'unauthorized')] });
    expect([done.code, done.lines.length, done.requested.length]).toEqual([3, 1, 2]);
    expect(done.notes.at(-1)).toBe('2 more were not requested.');
  });

  it('does not stop the remaining requests if the credit is used up, since earlier results are free', async () => {
    const poor = refused(402, 'insufficient_credit', { price: '0.005', credit: '0.000' });
    const done = await fetched('audio --json --jobs 1 one two', { [AUDIO]: [poor, json(200, record('success'))] });
    expect(done.lines).toMatchObject([{ status: 'error' }, { status: 'success', ids: [ID] }]);
    expect([done.code, done.notes.at(-1)]).toEqual([3, '1 of 2 succeeded']);
  });

  it('fails if another program answers at the address', async () => {
    const done = await fetched('audio --json one', { [AUDIO]: [(response) => response.end('<html>')] });
    expect([done.code, done.lines]).toMatchObject([3, [{ error: { code: 'unexpected_answer' } }]]);
  });
});
