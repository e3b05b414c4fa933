import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request as sendRequest, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { StoreAwayError } from '../../store/files/file-store.ts';
import { openBucket, type S3Bucket } from '../../store/files/s3-bucket.ts';
import { createS3Files } from '../../store/files/s3-files.ts';
import { aBucket, type BucketUnderTest } from '../helpers/file-stores.ts';
import { until } from '../helpers/until.ts';

const MIB = 1024 ** 2;
const never = new AbortController().signal;
let store: BucketUnderTest;
let opened: S3Bucket;
beforeAll(async () => {
  store = await aBucket();
  opened = openBucket(store.settings);
});
afterAll(() => store.close());

const aSource = async (sizeBytes: number): Promise<string> => {
  const path = join(store.folder, ulid());
  await writeFile(path, randomBytes(sizeBytes));
  return path;
};
const uploadsUnderWay = async (prefix: string): Promise<number> => {
  const list = new ListMultipartUploadsCommand({ Bucket: opened.bucket, Prefix: prefix });
  return (await opened.client.send(list)).Uploads?.length ?? 0;
};

/** A line to the S3 server that changes or holds up what is sent through it. */
async function aLine(change: (chunk: Buffer, sentBytes: number) => Buffer | undefined) {
  const target = new URL(inject('s3').endpoint);
  const sockets = new Set<Socket>();
  let sentBytes = 0;
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()));
    }
    near.on('data', (chunk) => {
      sentBytes += chunk.length;
      const changed = change(chunk, sentBytes);
      if (changed !== undefined) far.write(changed);
    });
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    endpoint: `http://127.0.0.1:${String(port)}`,
    sentBytes: () => sentBytes,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A server in front of the S3 server that refuses some requests. */
async function refusing(refusal: (request: IncomingMessage) => number | undefined) {
  const target = new URL(inject('s3').endpoint);
  const server = createHttpServer((request, response) => {
    const status = refusal(request);
    if (status !== undefined) {
      request.resume();
      response.writeHead(status, { 'Content-Type': 'application/xml' });
      const code = status === 501 ? 'NotImplemented' : 'AccessDenied';
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Refused.</Message></Error>`);
      return;
    }
    const { method, url: path, headers } = request;
    const forwarded = sendRequest({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const files = createS3Files({
    ...{ ...store.settings, prefix: `${ulid()}/` },
    endpoint: `http://127.0.0.1:${String(port)}`,
  });
  return { files, close: () => (server.closeAllConnections(), server.close()) };
}

const isListOfUploads = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && /[?&]uploads\b/.test(url);

describe('a bucket', () => {
  it.each([501, 405, 403, 400])('works without checksum headers and without a list of uploads (%i)', async (status) => {
    const { files, close } = await refusing((request) => {
      if (isListOfUploads(request)) return status;
      // The bucket itself need not be shown.
      if (request.method === 'HEAD' && !request.url?.includes('/check/') && !request.url?.endsWith('.m4a')) return 403;
      return Object.keys(request.headers).some((name) => /^x-amz-(?:sdk-)?checksum/.test(name)) ? 501 : undefined;
    });
    await files.check();
    const recordId = ulid();
    for (const sizeBytes of [1000, 9 * MIB]) {
      const file = await files.publish(await aSource(sizeBytes), { recordId, name: 'a.m4a' }, never);
      expect(await files.has(recordId, file)).toBe(true);
    }
    expect(await files.removeLeftovers(Date.now())).toBe(0);
    close();
  });

  it.each([
    ['write', ({ method }: IncomingMessage) => method === 'PUT'],
    ['list', ({ method, url = '' }: IncomingMessage) => method === 'GET' && url.includes('list-type=2')],
    ['read by range', ({ headers }: IncomingMessage) => headers.range !== undefined],
    ['remove', ({ method }: IncomingMessage) => method === 'DELETE'],
    ['write in parts', ({ method, url = '' }: IncomingMessage) => method === 'POST' && /[?&]uploads\b/.test(url)],
    ['require a version', ({ headers }: IncomingMessage) => headers['if-match'] !== undefined],
    ['keep metadata', ({ headers }: IncomingMessage) => headers['x-amz-meta-sha256'] !== undefined],
  ])('whose server does not let the service %s is reported at the start', async (_, isRefused) => {
    for (const status of [403, 501]) {
      const { files, close } = await refusing((request) => (isRefused(request) ? status : undefined));
      await expect(files.check()).rejects.toThrow(/^S3_BUCKET.*(?:AccessDenied|NotImplemented)/);
      close();
    }
  });

  it('that cannot be used is reported with the name of the setting', async () => {
    const missing = createS3Files({ ...store.settings, bucket: 'not-there' });
    await expect(missing.check()).rejects.toThrow(/^S3_BUCKET.*not-there/);
    const wrong = createS3Files({ ...store.settings, secretAccessKey: 'wrong' });
    await expect(wrong.check()).rejects.toThrow(/^S3_BUCKET.*S3_ACCESS_KEY_ID/);
    const nowhere = createS3Files({ ...store.settings, endpoint: 'http://127.0.0.1:1' });
    await expect(nowhere.check()).rejects.toThrow(/^S3_ENDPOINT/);
    await expect(store.files.check()).resolves.toBeUndefined();
  });

  it('that cannot be reached does not make files look missing', async () => {
    const away = createS3Files({ ...store.settings, endpoint: 'http://127.0.0.1:1' });
    const key = { recordId: ulid(), name: 'a.m4a' };
    await expect(away.open(key)).rejects.toThrow(StoreAwayError);
    await expect(away.has(key.recordId, { name: 'a.m4a', sizeBytes: 1, sha256: 'x' })).rejects.toThrow(StoreAwayError);
    await expect(away.publish(await aSource(10), key, never)).rejects.toThrow(StoreAwayError);
  });

  const page = '<html><body><hr><center>nginx</center></body></html>';
  const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Again.</Message></Error>`;
  it.each([
    [502, 'text/html', page],
    [503, 'text/plain', 'no healthy upstream'],
    [504, 'application/json', '{"error":"timeout"}'],
    [408, 'text/html', page],
    [409, 'application/xml', xml('OperationAborted')],
    [404, 'application/xml', xml('NoSuchUpload')],
    [400, 'application/xml', xml('IncompleteBody')],
  ])('that answers %i for a while (%s) is away', async (status, type, body) => {
    const server = createHttpServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status, { 'Content-Type': type }).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${String((server.address() as { port: number }).port)}`;
    const files = createS3Files({ ...store.settings, endpoint, limits: { ...store.settings.limits, maxAttempts: 1 } });
    const publishing = files.publish(await aSource(10), { recordId: ulid(), name: 'a.m4a' }, never);
    await expect(publishing).rejects.toThrow(StoreAwayError);
    server.close();
  });

  it('that does not respond fails calls in time', async () => {
    const line = await aLine(() => undefined);
    const limits = { maxAttempts: 3, answerTimeoutMs: 500, idleTimeoutMs: 120_000 };
    const files = createS3Files({ ...store.settings, endpoint: line.endpoint, limits });
    const key = { recordId: ulid(), name: 'a.m4a' };
    await expect(files.open(key)).rejects.toThrow(StoreAwayError);
    await expect(files.remove(key)).rejects.toThrow(StoreAwayError);
    await expect(files.page()).rejects.toThrow(StoreAwayError);
    await expect(files.publish(await aSource(10), key, never)).rejects.toThrow(StoreAwayError);
    line.close();
  });

  it('may contain foreign objects, which are not listed', async () => {
    for (const Key of ['files/readme.txt', `${ulid()}/a.m4a`, `files/${ulid()}/deeper/a.m4a`]) {
      await opened.client.send(new PutObjectCommand({ Bucket: opened.bucket, Key, Body: 'theirs' }));
    }
    const { entries } = await store.files.page();
    expect(entries).toEqual([]);
  });
});

describe('a publication to a bucket', () => {
  it('fails when bytes are changed in transit', async () => {
    const flip = (chunk: Buffer, sentBytes: number): Buffer => {
      // Changes a byte of the first part each time it is sent.
      if (sentBytes % (8 * MIB) > 4 * MIB && chunk.length > 1_000) chunk[500] = (chunk[500] ?? 0) ^ 0xff;
      return chunk;
    };
    for (const sizeBytes of [6 * MIB, 20 * MIB]) {
      const line = await aLine(flip);
      const files = createS3Files({
        ...store.settings,
        endpoint: line.endpoint,
        limits: { ...store.settings.limits, maxAttempts: 1 },
      });
      const key = { recordId: ulid(), name: 'a.m4a' };
      await expect(files.publish(await aSource(sizeBytes), key, never)).rejects.toThrow();
      line.close();
      expect(await store.files.open(key)).toBeUndefined();
      expect(await uploadsUnderWay(`files/${key.recordId}`)).toBe(0);
    }
  });

  it('that is cancelled leaves no object and no parts', async () => {
    const line = await aLine((chunk, sentBytes) => (sentBytes > 14 * MIB ? undefined : chunk));
    const files = createS3Files({ ...store.settings, endpoint: line.endpoint });
    const key = { recordId: ulid(), name: 'a.m4a' };
    const stop = new AbortController();
    const publishing = files.publish(await aSource(40 * MIB), key, stop.signal);
    publishing.catch(() => undefined);
    await until(() => line.sentBytes() > 14 * MIB);
    expect(await uploadsUnderWay(`files/${key.recordId}`)).toBe(1);
    expect(await store.files.open(key)).toBeUndefined();
    stop.abort(new Error('cancelled'));
    line.close();
    await expect(publishing).rejects.toThrow('cancelled');
    expect(await store.files.open(key)).toBeUndefined();
    // The connection is gone, so the next attempt removes the parts.
    await store.files.publish(await aSource(9 * MIB), key, never);
    expect(await uploadsUnderWay(`files/${key.recordId}`)).toBe(0);
  });

  it('that was interrupted is removed when it is old', async () => {
    const Key = `files/${ulid()}/a.m4a`;
    await opened.client.send(new CreateMultipartUploadCommand({ Bucket: opened.bucket, Key }));
    expect(await store.files.removeLeftovers(Date.now() - 60_000)).toBe(0);
    expect(await uploadsUnderWay(Key)).toBe(1);
    expect(await store.files.removeLeftovers(Date.now() + 60_000)).toBe(1);
    expect(await uploadsUnderWay(Key)).toBe(0);
  });
});
