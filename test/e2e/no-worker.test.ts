import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startStack, type Stack } from '../../local/stack.ts';
import { runTool } from '../helpers/media.ts';
import { TestService } from '../helpers/service.ts';

let service: TestService;
let worker: Stack | undefined;
let mediaDir: string;
const JOBS = 12;

beforeAll(async () => {
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  await runTool(inject('tools').ffmpeg, [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'sine=d=2:r=16000',
    join(mediaDir, 'tone0.wav'),
  ]);
  await writeFile(join(mediaDir, 'notes.txt'), 'no media');
  service = await TestService.start({ mediaDir, roles: ['api'] });
}, 120_000);
afterAll(async () => {
  await worker?.stop();
  await service.stop();
  await rm(mediaDir, { recursive: true, force: true });
});

describe('without a worker', () => {
  it('jobs are accepted and readable at once, and done when a worker comes', async () => {
    const ids = Array.from({ length: JOBS }, (_, index) => `NoSuch_${String(index).padStart(4, '0')}`);
    for (const id of ids) {
      const accepted = await service.requestAudio(id);
      expect(accepted.status).toBe(202);
      const read = await service.getDownload(accepted.body.data.id);
      expect(read.body.data).toMatchObject({ status: 'pending', media_id: id });
    }
    const tone = service.sandbox.catalogue.find((video) => video.title.startsWith('tone0'))!.id;
    const accepted = await service.requestAudio(tone);
    expect((await service.requestAudio(tone)).body).toMatchObject({
      code: 'pending_duplicate',
      id: accepted.body.data.id,
    });

    worker = await startStack({
      env: service.stack.env,
      dataDir: service.dataDir,
      roles: ['worker'],
      ports: 'free',
      log: () => undefined,
      output: { dir: service.dataDir },
    });
    expect(await service.ended(accepted.body.data.id)).toMatchObject({ status: 'success' });
  }, 120_000);
});
