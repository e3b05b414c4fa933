import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { UploadResult } from '../../contract/kinds/upload.ts';
import { makeKey } from '../fuzz/key.ts';
import { tool } from '../helpers/sandbox.ts';
import { TestService } from '../helpers/service.ts';
import { tusCaller } from '../helpers/tus.ts';
import { until } from '../helpers/until.ts';

const SIZE = 2 * 1024 ** 3;
const CHANNELS = 8;
const BYTES_PER_SECOND = 2 * CHANNELS * 48_000;
const CUTS = 5;

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Sends a file from an offset on. @param most after so many bytes the connection is broken @returns the status, if there is one */
function send(
  url: string,
  path: string,
  { offset, size, most, own }: { offset: number; size: number; most: number; own: Readonly<Record<string, string>> },
) {
  return new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      ...own,
      ...{ 'tus-resumable': '1.0.0', 'upload-offset': String(offset) },
      ...{ 'content-type': 'application/offset+octet-stream', 'content-length': String(size - offset) },
    };
    const sending = request(url, { method: 'PATCH', headers });
    sending.on('error', () => resolve(undefined));
    sending.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    const file = createReadStream(path, { start: offset });
    let sent = 0;
    file.on('data', ({ length }) => {
      sent += length;
      if (sent >= most) sending.destroy();
    });
    file.on('error', reject);
    file.pipe(sending);
  });
}

/** The resident memory of the api, above that of each of its processes when it was first seen. */
function watchMemory(service: TestService) {
  const first = new Map<number, number>();
  let mostGrown = 0;
  const look = async (): Promise<void> => {
    const pid = service.stack.processes().find(({ name }) => name === 'api')?.pid;
    const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
    const bytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN) * 1024;
    if (pid === undefined || Number.isNaN(bytes)) return;
    const from = first.get(pid);
    if (from === undefined) first.set(pid, bytes);
    else mostGrown = Math.max(mostGrown, bytes - from);
  };
  return { look, mostGrown: () => mostGrown };
}

it('an upload of 2 GB that is cut five times, with api and worker restarted, arrives whole, and the api grows by less than 50 MiB', async () => {
  const service = await TestService.start();
  try {
    const path = join(service.dataDir, 'large.wav');
    const tone = `sine=220:sample_rate=48000:duration=${String(Math.floor(SIZE / BYTES_PER_SECOND))}`;
    const args = ['-v', 'error', '-f', 'lavfi', '-i', tone, '-ac', String(CHANNELS), path];
    await promisify(execFile)(tool('TEST_FFMPEG'), args);
    const { size } = await stat(path);
    const url = service.stack.restUrl;
    const [own, stranger] = (await Promise.all(
      [1, 2].map(async () => ({ authorization: `Bearer ${await makeKey(service.stack)}` })),
    )) as [{ authorization: string }, { authorization: string }];
    const created = await tusCaller(url, own).create(size, { filename: 'large.wav', filetype: 'audio/wav' });
    const location = created.headers.get('location')!;
    const id = location.split('/').at(-1)!;
    const offsetOf = () =>
      until(
        () =>
          tusCaller(url, own)
            .offsetOf(location)
            .catch(() => undefined),
        { within: 60_000, what: 'the api' },
      );
    // The name of the upload is removed by its job.
    const kept = join(service.dataDir, 'kept');
    await link(join(service.dataDir, 'files', '.uploads', id), kept);
    const memory = watchMemory(service);
    for (let cuts = 0; cuts <= CUTS; cuts += 1) {
      const offset = await offsetOf();
      expect(offset).toBeLessThan(size);
      expect((await tusCaller(url, stranger).ask('HEAD', location, {})).status).toBe(404);
      // The first request loads code.
      await memory.look();
      const timer = setInterval(() => void memory.look(), 100);
      const most = cuts < CUTS ? Math.floor(size / (CUTS + 1)) : Infinity;
      const status = await send(url + location, path, { offset, size, most, own });
      clearInterval(timer);
      expect(status).toBe(cuts < CUTS ? undefined : 204);
      if (cuts < CUTS) service.stack.kill(cuts % 2 === 0 ? 'api' : 'worker', 'SIGKILL');
    }
    expect(await sha256Of(kept)).toBe(await sha256Of(path));
    expect(memory.mostGrown()).toBeLessThan(50 * 1024 ** 2);
    const record = await until(
      async () => {
        const one = await service.request<UploadResult>('GET', `/downloads/${id}`, { headers: own });
        return one.status === 200 ? one.body.data : undefined;
      },
      { within: 900_000, what: 'the end of the job' },
    );
    expect(record).toMatchObject({ status: 'success', name: 'large.wav' });
    expect((await service.request('GET', `/downloads/${id}`, { headers: stranger })).status).toBe(404);
    for (const [path, field] of [
      ['/api/speech', 'download_id'],
      ['/api/transcriptspeakerid', 'transcript_with_speaker_id'],
    ] as const) {
      const refused = await service.request('POST', path, { body: { [field]: id }, headers: stranger });
      expect([path, refused.status]).toEqual([path, 404]);
    }
    await Promise.all([rm(path), rm(kept)]);
  } finally {
    await service.stop();
  }
}, 1_800_000);
