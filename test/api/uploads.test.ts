import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import { createDiskUploads, type Uploads } from '../../store/files/uploads.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { serveFacades } from '../helpers/service-deps.ts';
import { tusCaller } from '../helpers/tus.ts';
import { until } from '../helpers/until.ts';

const MAX_BYTES = 1_000_000;

let root: string;
let uploads: Uploads;
let facades: Facades;
let own: ReturnType<typeof tusCaller>;
let stranger: ReturnType<typeof tusCaller>;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tapedeck-uploads-'));
  uploads = createDiskUploads(root);
  facades = await startFacades(100_000, { uploads, uploadMaxBytes: MAX_BYTES });
  const keyOf = async (name: string) => ({
    authorization: `Bearer ${(await facades.deps.keys.create({ name, scopes: ['read', 'jobs'] })).text}`,
  });
  own = tusCaller(facades.url, await keyOf('own'));
  stranger = tusCaller(facades.url, await keyOf('stranger'));
});
afterAll(async () => {
  await facades.close();
  await rm(root, { recursive: true, force: true });
});
beforeEach(() => facades.jobs.start.mockReset().mockResolvedValue('started'));

async function created(length: number): Promise<string> {
  const answer = await own.create(length);
  expect(answer.status).toBe(201);
  return answer.headers.get('location')!;
}
const idOf = (path: string): string => path.split('/').at(-1)!;
const stored = (path: string): Promise<Buffer> => readFile(join(root, '.uploads', idOf(path)));

describe('an upload', () => {
  it('that is cut several times arrives byte for byte, and starts one job with its id', async () => {
    const all = randomBytes(400_000);
    const path = await created(all.length);
    expect(path).toMatch(/^\/api\/uploads\/[0-9A-Z]{26}$/);
    for (const sent of [70_000, 90_000, 110_000]) {
      const offset = await own.offsetOf(path);
      await own.cut(path, { offset, all, sent });
      await until(async () => ((await own.offsetOf(path)) > offset ? true : undefined), {
        within: 10_000,
        what: 'bytes',
      });
    }
    expect(facades.jobs.start).not.toHaveBeenCalled();
    const offset = await own.offsetOf(path);
    expect(offset).toBeLessThan(all.length);
    const last = await own.send(path, offset, all.subarray(offset));
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(all.length)]);
    expect(await stored(path)).toEqual(all);
    const [[workflow, input]] = facades.jobs.start.mock.calls as [[string, object]];
    expect([workflow, input]).toMatchObject([
      'upload',
      { recordId: idOf(path), type: 'upload', parameters: { title: 'talk.m4a', contentType: 'audio/mp4' }, price: 0 },
    ]);
  });

  it('is continued by another process of the api', async () => {
    const all = randomBytes(1_000);
    const path = await created(all.length);
    await own.send(path, 0, all.subarray(0, 400));
    const other = await serveFacades(facades.deps, { rpcToken: 'x'.repeat(32), uploads: createDiskUploads(root) });
    const again = tusCaller(other.url, own.headers);
    expect(await again.offsetOf(path)).toBe(400);
    expect((await again.send(path, 400, all.subarray(400))).status).toBe(204);
    expect(await stored(path)).toEqual(all);
    expect(facades.jobs.start).toHaveBeenCalledTimes(1);
    await other.close();
  });

  it('starts the job at a HEAD request if the process died after the last byte', async () => {
    const path = await created(3);
    facades.jobs.start.mockRejectedValueOnce(new Error('killed'));
    expect((await own.send(path, 0, Buffer.from('abc'))).status).toBeGreaterThanOrEqual(500);
    expect(await own.offsetOf(path)).toBe(3);
    expect(facades.jobs.start).toHaveBeenCalledTimes(2);
  });

  it('of another key does not exist', async () => {
    const path = await created(10);
    expect((await stranger.ask('HEAD', path, {})).status).toBe(404);
    expect((await stranger.send(path, 0, Buffer.from('x'))).status).toBe(404);
    expect((await stranger.ask('DELETE', path, {})).status).toBe(404);
    expect((await tusCaller(facades.url).ask('HEAD', path, {})).status).toBe(404);
    expect(await own.offsetOf(path)).toBe(0);
    await own.send(path, 0, Buffer.alloc(10));
    const id = idOf(path);
    for (const address of [`/downloads/${id}`, `/api/downloads/${id}/result`, `/api/transcriptspeakerid/${id}`]) {
      expect([address, (await stranger.ask('GET', address, {})).status]).toEqual([address, 404]);
    }
    expect((await own.ask('GET', `/downloads/${id}`, {})).status).toBe(202);
    for (const [address, field] of [
      ['/api/transcriptspeakerid', 'transcript_with_speaker_id'],
      ['/api/speech', 'download_id'],
    ] as const) {
      const body = Buffer.from(JSON.stringify({ [field]: id }));
      expect([address, (await stranger.ask('POST', address, {}, body)).status]).toEqual([address, 404]);
    }
    expect((await stranger.ask('DELETE', `/downloads/${id}`, {})).status).toBe(404);
    const list = await stranger.ask('GET', '/api/downloads?type=upload', {});
    expect(await list.json()).toMatchObject({ downloads: [] });
    expect(facades.jobs.start).toHaveBeenCalledTimes(1);
  });

  it('is removed by its caller', async () => {
    const path = await created(10);
    expect((await own.ask('DELETE', path, {})).status).toBe(204);
    expect((await own.ask('HEAD', path, {})).status).toBe(404);
    expect((await readdir(join(root, '.uploads'))).filter((name) => name.startsWith(idOf(path)))).toEqual([]);
  });

  it('is removed a day after it began, unless a job needs it', async () => {
    const [gone, needed] = [idOf(await created(10)), idOf(await created(10))];
    expect(await uploads.removeOlderThan(Date.now() - 60_000, () => Promise.resolve(false))).toBe(0);
    await uploads.removeOlderThan(Date.now() + 1000, (id) => Promise.resolve(id === needed));
    const left = await readdir(join(root, '.uploads'));
    expect(left.filter((name) => name.startsWith(gone))).toEqual([]);
    expect(left).toEqual(expect.arrayContaining([needed, `${needed}.json`]));
  });

  it.each([
    [{ filename: 'a.txt', filetype: 'text/plain' }, 'Upload-Metadata.filetype'],
    [{ filename: 'a.m4a' }, 'Upload-Metadata.filetype'],
    [{ filetype: 'audio/mp4' }, 'Upload-Metadata.filename'],
    [
      { filename: 'a.m4a', filetype: 'audio/mp4', include_webhook: 'http://10.0.0.1/' },
      'Upload-Metadata.include_webhook',
    ],
  ])('is refused with the field that is wrong: %j', async (fields, path) => {
    const before = await readdir(join(root, '.uploads'));
    const answer = await own.create(10, fields);
    const body = (await answer.json()) as ErrorBody;
    expect([answer.status, body.details?.map((one) => one.path)]).toEqual([400, [path]]);
    expect(await readdir(join(root, '.uploads'))).toEqual(before);
  });

  it('is refused without a size, empty, or too large', async () => {
    expect((await own.create(0)).status).toBe(400);
    const large = await own.create(MAX_BYTES + 1);
    expect([large.status, await large.json()]).toMatchObject([413, { code: 'body_too_large' }]);
    const path = await created(10);
    expect((await own.send(path, 0, Buffer.alloc(11))).status).toBe(413);
    expect((await own.send(path, 5, Buffer.alloc(5))).status).toBe(409);
    expect(await own.offsetOf(path)).toBe(0);
  });

  it.each([
    ['GET', '/api/uploads', 405],
    ['GET', '/api/uploads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD', 405],
    ['HEAD', '/api/uploads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD', 404],
    ['HEAD', '/api/uploads/..%2f..%2fx', 404],
  ])('%s %s is answered with %i', async (method, path, status) => {
    expect((await own.ask(method, path, {})).status).toBe(status);
  });
});
