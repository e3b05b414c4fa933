import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { serveOnLoopback } from '../../local/loopback-server.ts';

const PROGRAM = join(import.meta.dirname, '../../command/tapedeck.mjs');
const ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
/** All that must not reach whatever reads the output: an escape sequence, controls, overrides of the direction, line breaks. */
const HOSTILE = 'a\u001b[2J\u001b]0;x\u0007\u009b2J\b\u007f\u202e\u2067\u061c\r\nforged\u2028line\u0085\v\fz';
const FORBIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

type Answer = (response: ServerResponse) => void;
const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
};

let stop: () => Promise<void> = () => Promise.resolve();
afterEach(() => stop());

/** Runs the program against a service that answers each path as given. */
async function tapedeck(words: readonly string[], answers: Readonly<Record<string, Answer>>) {
  let requests = 0;
  const server = await serveOnLoopback((request, response) => {
    requests += 1;
    const answer = answers[(request.url ?? '').split('?')[0] ?? ''];
    (answer ?? json(404, { error: 'Nothing.', code: 'not_found' }))(response);
  });
  ({ stop } = server);
  const env = { ...process.env, TAPEDECK_URL: server.url, TAPEDECK_KEY: '' };
  const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err, requests };
}

const RECORD = {
  ...{ id: ID, created_at: '2026-11-21T09:30:00.000000Z', type: 'audio', status: 'failed', cost: '0.000' },
  ...{ title: HOSTILE, media_id: HOSTILE, response: HOSTILE },
};
const JOB = {
  ...{ title: HOSTILE, finished_at: HOSTILE, failure: { message: HOSTILE, code: HOSTILE } },
  ...{ files: [{ name: HOSTILE, size_bytes: 1, sha256: HOSTILE }], workflow: { id: HOSTILE, url: null } },
};
const FEED = { id: ID, source: ID, title: HOSTILE };
const POSTS = [{ url: HOSTILE, date_posted: HOSTILE, description: HOSTILE }];
const offer = (operation: string, path: string) => ({
  subjects: [
    {
      ...{ kind: 'video', id: 'v', url: 'https://site.example/', note: null },
      offers: [{ operation, path, body: {}, needs: [], after: null, price: '0.005', per: 'job' }],
    },
  ],
});
const AUDIO = { '/api/resolve': json(200, offer('requestAudio', '/audio')) };

describe('the output of a hostile service in a pipe', () => {
  const download = `/downloads/${ID}`;
  it.each([
    ['jobs', { '/api/downloads': json(200, { downloads: [RECORD], next_cursor: null }) }, 1],
    [
      `job ${ID}`,
      { [download]: json(200, { data: RECORD }), [`/api/downloads/${ID}/job`]: json(200, JOB) },
      // id, type, status, media, title, cost, created, finished, failure, workflow, file
      11,
    ],
    [
      `items ${ID}`,
      { [`/api/downloads/${ID}/result`]: json(200, { status: 'success', posts: POSTS, next_cursor: null }) },
      1,
    ],
    [`cancel ${ID}`, { [download]: json(200, { data: RECORD }) }, 1],
    ['webhook test https://x.example', { '/api/webhook/test': json(200, { status: 'success', message: HOSTILE }) }, 1],
    [`feed create ${ID}`, { '/api/feeds': json(200, { ...FEED, rss_url: HOSTILE, opml_url: null }) }, 1],
    ['feed list', { '/api/feeds': json(200, { feeds: [FEED], next_cursor: null }) }, 1],
    [`feed revoke ${ID}`, { [`/api/feeds/${ID}`]: json(200, FEED) }, 1],
    [
      'profile x',
      {
        '/api/resolve': json(200, offer('requestImgnetProfile', '/profile')),
        '/profile': json(200, { status: 'success', biography: HOSTILE, posts: POSTS }),
      },
      // The biography, an empty line, the post.
      3,
    ],
  ])('is a line for each thing, without characters that command a terminal: %s', async (line, answers, lines) => {
    const { code, out } = await tapedeck(line.split(' '), answers);
    expect(code).toBe(0);
    expect(out).not.toMatch(FORBIDDEN);
    expect(out.trimEnd().split('\n')).toHaveLength(lines);
    expect(out).toContain('forged');
  });

  it('is escaped JSON with --json', async () => {
    const { out } = await tapedeck(['jobs', '--json'], {
      '/api/downloads': json(200, { downloads: [RECORD, RECORD], next_cursor: null }),
    });
    expect(out).not.toMatch(FORBIDDEN);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((one) => JSON.parse(one) as unknown)).toEqual([RECORD, RECORD]);
  });

  it('keeps the lines of a transcript and the value of indented JSON', async () => {
    const transcript = (format: string) =>
      tapedeck(['transcript', '-l', 'en', '--format', format, 'x'], {
        '/api/resolve': json(200, {
          subjects: offer('requestTranscript', '/transcript').subjects.map((one) => ({
            ...one,
            offers: one.offers.map((each) => ({ ...each, body: { include_comments: false } })),
          })),
        }),
        '/transcript': json(200, { status: 'ok', text: HOSTILE, download: { id: ID } }),
        [`/api/transcripts/${ID}.txt`]: (response) => {
          response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`one\n${HOSTILE}\ntwo\n`);
        },
      });
    const { out } = await transcript('txt');
    expect(out.replaceAll('\u2028', '')).not.toMatch(FORBIDDEN);
    expect(out).toMatch(/^one\na.*z\ntwo\n$/s);
    expect(JSON.parse((await transcript('json')).out)).toMatchObject({ text: HOSTILE });
  });

  it('is one line for an error, and an unknown code has the exit code of a refusal', async () => {
    const details = [{ path: HOSTILE, message: HOSTILE }, null, 'x', { path: 1 }];
    for (const [wrong, exit] of [
      [{ error: HOSTILE, code: 'out_of_tape', details }, 3],
      [{ error: HOSTILE, code: '__proto__', details: 'none' }, 3],
      [{ error: HOSTILE, code: 'not_found', details: { length: 1 } }, 1],
    ] as const) {
      const { code, out, err } = await tapedeck(['cancel', ID], { [download]: json(400, wrong) });
      expect([code, out]).toEqual([exit, '']);
      expect(err).not.toMatch(FORBIDDEN);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
      expect(err).toMatch(new RegExp(`^${ID}: a`));
    }
    const all = await tapedeck(['audio', '--json', 'x'], {
      ...AUDIO,
      '/audio': json(418, { error: HOSTILE, code: 'out_of_tape' }),
    });
    expect(all.code).toBe(3);
    expect(JSON.parse(all.out)).toMatchObject({ status: 'error', error: { code: 'out_of_tape' } });
    expect(all.out + all.err).not.toMatch(FORBIDDEN);
  });
});

describe('a request that is refused with Retry-After', () => {
  const putOff = (retryAfter: string, status = 429): Promise<Awaited<ReturnType<typeof tapedeck>>> =>
    tapedeck(['jobs'], {
      '/api/downloads': json(status, { error: 'Too many.', code: 'rate_limited' }, { 'Retry-After': retryAfter }),
    });

  it.each([
    '1000000000',
    '121',
    '9'.repeat(400),
    '-1',
    '1e9',
    '0x10',
    'NaN',
    'soon',
    '1.5',
    'Fri, 27 Nov 2026 00:00:00 GMT',
  ])('ends without an announced retry if Retry-After is %s', async (retryAfter) => {
    const { code, out, err, requests } = await putOff(retryAfter);
    expect([code, out, requests]).toEqual([3, '', 1]);
    expect(err).toBe('Too many.\n');
  });

  it.each([429, 503])('announces each retry after %d', async (status) => {
    const { code, err, requests } = await putOff('0', status);
    expect([code, requests]).toEqual([3, 5]);
    expect(err.match(/going on in 0 s/g)).toHaveLength(4);
  });
});
