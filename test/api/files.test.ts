import { randomBytes } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import send from 'send';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StoreAwayError, type FileKey, type FileStore } from '../../store/files/file-store.ts';
import { stores, type StoreUnderTest } from '../helpers/file-stores.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';

const never = new AbortController().signal;
const CONTENTS = randomBytes(300_000);

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** This does not use fetch, which adds headers to conditional requests. */
function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answered> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { method, headers }, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    })
      .on('error', reject)
      .end();
  });
}

describe.each(Object.entries(stores))('links to files on %s', (_kind, open) => {
  let store: StoreUnderTest;
  let facades: Facades;
  let key: FileKey;
  let link: string;
  beforeAll(async () => {
    store = await open();
    facades = await startFacades(undefined, { files: store.files });
    key = { recordId: ulid(), name: 'k3fP0aTz9Qw.m4a' };
    await publish(key, CONTENTS);
    link = linkTo(key);
  });
  afterAll(async () => {
    await facades.close();
    await store.close();
  });
  const publish = async (to: FileKey, contents: Buffer): Promise<void> => {
    const source = join(store.folder, ulid());
    await writeFile(source, contents);
    await store.files.publish(source, to, never);
  };
  const linkTo = ({ recordId, name }: FileKey): string =>
    facades.deps.signer.linkTo(recordId, name).replace('http://drive.example', facades.url);

  it('answer with the file, its type and a strong tag', async () => {
    const { status, headers, body } = await ask(link);
    expect([status, body.equals(CONTENTS)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'audio/mp4',
      'content-length': String(CONTENTS.length),
      'content-disposition': 'inline; filename="k3fP0aTz9Qw.m4a"',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[\w-]+"$/) as string,
      'cache-control': expect.stringMatching(/^private, max-age=\d+$/) as string,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(Math.abs(Date.parse(headers['last-modified'] ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('answer HEAD with the headers alone', async () => {
    const { status, headers, body } = await ask(link, {}, 'HEAD');
    expect([status, headers['content-length'], body.length]).toEqual([200, String(CONTENTS.length), 0]);
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=100-199', 100, 200],
    ['bytes=-10', -10, undefined],
    ['bytes=299990-', -10, undefined],
    ['bytes=299990-999999', -10, undefined],
    ['bytes=-999999', 0, undefined],
  ])('answer the range %s with these bytes', async (range, from, to) => {
    const expected = CONTENTS.subarray(from, to);
    const { status, headers, body } = await ask(link, { range });
    expect([status, body.equals(expected)]).toEqual([206, true]);
    const first = from < 0 ? CONTENTS.length + from : from;
    const last = first + expected.length - 1;
    expect(headers['content-range']).toBe(`bytes ${String(first)}-${String(last)}/${String(CONTENTS.length)}`);
  });

  it('expire after their lifetime, also in caches', async () => {
    const endsMs = Number(new URL(link).searchParams.get('Expires')) * 1000;
    vi.useFakeTimers({ toFake: ['Date'], now: endsMs - 1_000 });
    try {
      const { status, headers } = await ask(link);
      expect([status, headers['cache-control']]).toEqual([200, 'private, max-age=1']);
      vi.setSystemTime(endsMs + 1_000);
      const { status: late, body } = await ask(link);
      expect([late, JSON.parse(body.toString())]).toMatchObject([403, { code: 'link_invalid' }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('answer 404 as JSON when the file was removed', async () => {
    const gone = { recordId: ulid(), name: 'a.m4a' };
    for (const method of ['GET', 'HEAD']) expect((await ask(linkTo(gone), {}, method)).status).toBe(404);
    const { headers, body } = await ask(linkTo(gone));
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body.toString())).toEqual({ error: 'The file is not kept any more.', code: 'not_found' });
  });

  it('serve an empty file', async () => {
    const empty = { recordId: ulid(), name: 'a.mp4' };
    await publish(empty, Buffer.alloc(0));
    const { status, headers, body } = await ask(linkTo(empty));
    expect([status, headers['content-type'], body.length]).toEqual([200, 'video/mp4', 0]);
  });

  // The reference is the library `send`.
  describe('answer conditions and ranges', () => {
    let reference: Server;
    let referenceUrl: string;
    beforeAll(async () => {
      const file = await store.files.open(key);
      const sha256 = 'not looked at here';
      const path = await store.files
        .localCopy(key.recordId, { name: key.name, sizeBytes: CONTENTS.length, sha256 }, store.folder)
        .catch(() => join(store.folder, key.name));
      reference = createServer((request, response) => {
        send(request, path, { root: '/', cacheControl: false })
          .on('headers', (target: typeof response) => {
            target.setHeader('ETag', `"${file!.tag}"`);
            target.setHeader('Last-Modified', new Date(file!.modifiedMs).toUTCString());
          })
          .pipe(response);
      });
      await new Promise<void>((resolve) => reference.listen(0, '127.0.0.1', resolve));
      referenceUrl = `http://127.0.0.1:${String((reference.address() as { port: number }).port)}/`;
    });
    afterAll(() => reference.close());

    it('like the reference implementation', async () => {
      const { headers } = await ask(link, {}, 'HEAD');
      const [tag, date] = [headers.etag!, headers['last-modified']!];
      const tags = [tag, `W/${tag}`, `"other", ${tag}`, '"other"', '*', 'nonsense'];
      const dates = [date, 'Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT', 'nonsense'];
      const ranges = [
        'bytes=0-9',
        'bytes=9-0',
        'bytes=900000-',
        'bytes=-1',
        'bytes=0-1,5-6',
        'bytes=0-4,5-9',
        'items=0-1',
        'bytes=x',
      ];
      const requests: Record<string, string>[] = [
        ...ranges.map((range) => ({ range })),
        ...tags.flatMap((one) => [{ 'if-match': one }, { 'if-none-match': one }]),
        ...dates.flatMap((one) => [{ 'if-modified-since': one }, { 'if-unmodified-since': one }]),
        ...[tag, '"other"', ...dates].map((one) => ({ range: 'bytes=5-9', 'if-range': one })),
        ...tags.map((one) => ({ range: 'bytes=5-9', 'if-none-match': one, 'if-match': tag })),
        { range: 'bytes=900000-', 'if-range': '"other"' },
        { 'if-none-match': tag, 'cache-control': 'no-cache' },
        { 'if-none-match': '"other"', 'if-modified-since': dates[2]! },
      ];
      for (const method of ['GET', 'HEAD']) {
        for (const sent of requests) {
          const [ours, theirs] = await Promise.all([ask(link, sent, method), ask(referenceUrl, sent, method)]);
          const summaryOf = ({ status, headers: got }: Answered) => [
            ...[method, sent, status, got['content-range'], got.etag],
            status < 400 && status !== 304 ? got['content-length'] : undefined,
          ];
          if (theirs.status === 412 || theirs.status === 416) {
            expect([method, sent, ours.status, ours.headers['content-range']]).toEqual([
              method,
              sent,
              theirs.status,
              theirs.headers['content-range'],
            ]);
          } else {
            expect(summaryOf(ours)).toEqual(summaryOf(theirs));
            expect(ours.body.equals(theirs.body)).toBe(true);
          }
        }
      }
    });
  });
});

describe('a file host', () => {
  const aStore = (changes: Partial<FileStore>): FileStore =>
    ({ open: () => Promise.resolve(undefined), ...changes }) as FileStore;
  const linkOf = (facades: Facades): string =>
    facades.deps.signer.linkTo(ulid(), 'a.m4a').replace('http://drive.example', facades.url);

  it('answers 503 when its store cannot be reached', async () => {
    const facades = await startFacades(undefined, {
      files: aStore({ open: () => Promise.reject(new StoreAwayError('away')) }),
    });
    const { status, headers, body } = await ask(linkOf(facades));
    expect([status, headers['retry-after'], JSON.parse(body.toString())]).toMatchObject([
      503,
      '5',
      { code: 'unavailable' },
    ]);
    await facades.close();
  });

  it('reads no faster than its reader, and stops reading when the reader leaves', async () => {
    const { Readable } = await import('node:stream');
    let producedBytes = 0;
    let isDestroyed = false;
    const sizeBytes = 1024 ** 3;
    const endless = () =>
      new Readable({
        read() {
          producedBytes += 65_536;
          this.push(Buffer.alloc(65_536));
        },
        destroy(error, done) {
          isDestroyed = true;
          done(error);
        },
      });
    const file = { sizeBytes, modifiedMs: 0, tag: 'endless', read: () => Promise.resolve(endless()) };
    const facades = await startFacades(undefined, { files: aStore({ open: () => Promise.resolve(file) }) });
    const reader = httpRequest(linkOf(facades)).end();
    reader.on('error', () => undefined);
    const answer = await new Promise<NodeJS.ReadableStream & { destroy: () => void }>((resolve) =>
      reader.on('response', resolve),
    );
    answer.pause();
    let before = -1;
    await until(() => {
      const stands = producedBytes === before;
      before = producedBytes;
      return stands && producedBytes > 0;
    });
    expect(producedBytes).toBeLessThan(64 * 1024 ** 2);
    answer.destroy();
    await until(() => isDestroyed, { what: 'the end of the reading' });
    await facades.close();
  });

  it('closes the connection when the store fails halfway', async () => {
    const { Readable } = await import('node:stream');
    const broken = () =>
      Readable.from(
        (async function* () {
          yield Buffer.alloc(1_000);
          await Promise.resolve();
          throw new Error('the line broke');
        })(),
      );
    const file = { sizeBytes: 5_000, modifiedMs: 0, tag: 'broken', read: () => Promise.resolve(broken()) };
    const facades = await startFacades(undefined, { files: aStore({ open: () => Promise.resolve(file) }) });
    const warn = vi.spyOn(facades.deps.log, 'warn');
    await expect(ask(linkOf(facades))).rejects.toThrow();
    expect(warn).toHaveBeenCalledOnce();
    await facades.close();
  });
});
