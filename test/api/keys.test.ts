import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createKeyCommands } from '../../operator/keys/key-commands.ts';
import { UsageError } from '../../runtime/operator-command.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
let open: Facades;
beforeAll(async () => {
  facades = await startFacades(100_000, { isLoopback: false, allowsAnonymous: false });
  open = await startFacades();
});
afterAll(() => Promise.all([facades.close(), open.close()]));

const makeKey = async (scopes: ('read' | 'jobs' | 'webhooks')[] = ['read', 'jobs', 'webhooks'], at = facades) => {
  const key = await at.deps.keys.create({ name: 'test', scopes });
  await at.deps.accounts.open(key.id, undefined);
  return key;
};
const get = (path: string, authorization?: string, at = facades): Promise<Response> =>
  fetch(at.url + path, authorization === undefined ? {} : { headers: { authorization } });

describe('an API key', () => {
  it('is required if anonymous callers are not allowed', async () => {
    const refused = await get('/api/downloads');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="tapedeck"');
    expect(await refused.json()).toMatchObject({ code: 'unauthorized' });
    const { text } = await makeKey();
    expect((await get('/api/downloads', `Bearer ${text}`)).status).toBe(200);
    expect((await get('/api/downloads', `bearer  ${text}`)).status).toBe(200);
  });

  it.each([
    ['an id that there is not', (text: string) => `Bearer td_${'0'.repeat(16)}${text.slice(19)}`],
    ['another secret', (text: string) => `Bearer ${text.slice(0, 20)}${'A'.repeat(43)}`],
    ['a changed last letter', (text: string) => `Bearer ${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`],
    ['a text that is no key', () => 'Bearer secret'],
    ['another scheme', (text: string) => `Basic ${text}`],
    ['nothing', () => ''],
  ])('is refused with %s', async (_what, forge) => {
    const { text } = await makeKey();
    const refused = await get('/api/downloads', forge(text));
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
    expect(await refused.json()).toMatchObject({ code: 'unauthorized' });
  });

  it('is not required for public paths', async () => {
    for (const path of ['/health', '/docs', '/openapi.json']) expect((await get(path)).status).toBe(200);
    const link = await get('/files/01JD5Z3K6VQ0W8R9T2X4Y6B8CD/a.m4a');
    expect(await link.json()).toMatchObject({ code: 'link_invalid' });
  });

  it('allows only its scopes', async () => {
    const { text } = await makeKey(['read']);
    const authorization = `Bearer ${text}`;
    const post = (path: string, body: object) =>
      fetch(facades.url + path, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) });
    expect((await get('/downloads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD', authorization)).status).toBe(404);
    const started = await post('/api/downloads/audio', { vidnet_video_id: 'kX3vQ9mTz0A' });
    expect(started.status).toBe(403);
    expect(await started.json()).toMatchObject({ code: 'forbidden', error: expect.stringContaining('jobs') });
    expect(facades.jobs.start).not.toHaveBeenCalled();
    expect((await post('/api/webhook/test', { url: 'https://example.com/' })).status).toBe(403);
  });

  it('stops working within seconds after it was revoked', async () => {
    const { id, text } = await makeKey();
    expect((await get('/api/downloads', `Bearer ${text}`)).status).toBe(200);
    await facades.deps.keys.revoke(id);
    const later = performance.now() + 6_000;
    vi.mocked(facades.deps.elapsed).mockImplementation(() => later);
    expect((await get('/api/downloads', `Bearer ${text}`)).status).toBe(401);
    vi.mocked(facades.deps.elapsed).mockImplementation(() => performance.now());
  });

  it('is stored only as a hash', async () => {
    const { id, text } = await makeKey();
    const document = await facades.db.collection<{ _id: string }>('keys').findOne({ _id: id });
    expect(document).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(document)).not.toContain(text.slice(20));
  });

  it('counts if anonymous callers are allowed, and must be valid', async () => {
    const { text } = await makeKey(undefined, open);
    expect((await get('/api/account', `Bearer ${text}`, open)).status).toBe(200);
    expect((await get('/api/downloads', undefined, open)).status).toBe(200);
    const otherSecret = `Bearer ${text.slice(0, 20)}${'A'.repeat(43)}`;
    for (const mistyped of [`Bearer ${text}x`, text, `Basic ${text}`, otherSecret]) {
      expect((await get('/api/downloads', mistyped, open)).status).toBe(401);
    }
    expect((await get('/api/account', undefined, open)).status).toBe(401);
  });
});

describe('an Authorization header without a key', () => {
  it.each(['Bearer secret', 'Basic dXNlcjpwYXNz', 'nonsense', 'Bearer', 'Bearer a b', 'Bearer eyJhbGciOi.td_x'])(
    'is ignored where none is needed, and the answer says so: %s',
    async (authorization) => {
      const answer = await get('/api/downloads', authorization, open);
      expect([answer.status, answer.headers.get('authorization-ignored')]).toEqual([200, 'not an API key']);
      const refused = await get('/downloads/not-an-id', authorization, open);
      expect([refused.status, refused.headers.get('authorization-ignored')]).toEqual([404, 'not an API key']);
      for (const path of ['/health', '/openapi.json']) {
        const opened = await get(path, authorization);
        expect([opened.status, opened.headers.get('authorization-ignored')]).toEqual([200, 'not an API key']);
      }
      expect((await get('/api/downloads', authorization)).headers.get('authorization-ignored')).toBeNull();
    },
  );

  it('is not reported if the header is absent or has a valid key', async () => {
    const { text } = await makeKey(undefined, open);
    for (const authorization of [undefined, `Bearer ${text}`]) {
      const answer = await get('/api/downloads', authorization, open);
      expect([answer.status, answer.headers.get('authorization-ignored')]).toEqual([200, null]);
    }
  });

  it('does not open operations that need a key', async () => {
    expect((await get('/api/account', 'Bearer secret', open)).status).toBe(401);
  });
});

describe('npm run keys', () => {
  const run = (command: string, args: string[] = [], options: Record<string, string> = {}) =>
    createKeyCommands(open.deps).run({ command, args, options });

  it('creates a key, changes its credit, and revokes it', async () => {
    const made = await run('create', ['alice'], { scopes: 'read,jobs', credit: '5.000' });
    const text = made.split('\n').at(-1)!;
    expect(text).toMatch(/^td_[0-9a-f]{16}_[\w-]{43}$/);
    expect(await run('credit', ['alice', '+1.500'])).toContain('6.500 left');
    expect(await run('credit', ['alice', '-6.000'])).toContain('0.500 left');
    await expect(run('credit', ['alice', '-0.501'])).rejects.toThrow('less than that');
    const account = await get('/api/account', `Bearer ${text}`, open);
    expect(await account.json()).toMatchObject({
      key: { name: 'alice', scopes: ['read', 'jobs'] },
      ...{ credit: '0.500', reserved: '0.000', spent: '0.000', entries: [], next_cursor: null },
    });
    expect(await run('list')).toMatch(/alice {2}read,jobs {2}made \S+ {2}good {2}left 0.500/);
    await expect(run('create', ['alice'])).rejects.toThrow('already');
    await run('revoke', ['alice']);
    await expect(run('revoke', ['alice'])).rejects.toThrow('no key');
    expect(await run('create', ['alice'])).toContain('unlimited');
  });

  it.each([
    ['', [], {}],
    ['destroy', ['x'], {}],
    ['create', [], {}],
    ['create', ['bob\n'], {}],
    ['create', ['bob'], { scopes: 'read,all' }],
    ['create', ['bob'], { credit: '5' }],
    ['revoke', ['nobody'], {}],
    ['credit', ['nobody', '+1.000'], {}],
    ['credit', ['nobody', '1.000'], {}],
  ])('refuses %s %j %j', async (command, args, options) => {
    await expect(run(command, args, options as Record<string, string>)).rejects.toThrow(UsageError);
  });
});
