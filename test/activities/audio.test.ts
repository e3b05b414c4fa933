import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createAudioActivity } from '../../activities/media.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { probe, runTool } from '../helpers/media.ts';

const RECORD_ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';

const SECONDS = 5;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-audio-'));
  const make = (name: string, ...args: string[]): Promise<Buffer> =>
    runTool(inject('tools').ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', ...args, join(folder, name)]);
  const sine = `sine=d=${String(SECONDS)}`;
  await make('aac.m4a', sine);
  await make('alac.m4a', sine, '-c:a', 'alac');
  await make('opus.m4a', sine, '-c:a', 'libopus', '-f', 'mp4');
  await make('flac.flac', sine);
  await make('pictures.m4a', `testsrc=d=${String(SECONDS)}:s=64x64:r=5`, '-c:v', 'libx264', '-f', 'mp4');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the activity on a file that the platform is said to have sent. */
async function fetchAudio(
  name: string,
  stated: { statedDurationSeconds?: number; cameWhole?: boolean | undefined } = { statedDurationSeconds: SECONDS },
  extraBytes: readonly number[] = [],
) {
  const downloads: string[] = [];
  const { ffmpeg, ffprobe } = inject('tools');
  const media = createMedia({ ffmpeg, ffprobe, maxFileBytes: 10_000_000, maxMediaSeconds: 60, maxVideoHeight: 1080 });
  const looks = vi.spyOn(media, 'probe');
  const writes = vi.spyOn(media, 'writeM4a');
  const activity = createAudioActivity({
    files: createDiskFiles(join(folder, 'files')),
    space: createSpaceGuard({ folders: [folder], minFreeBytes: 0 }),
    workFolders: createWorkFolders(join(folder, 'work')),
    media,
    vidnet: {
      fetchVideo: () => Promise.reject(new Error('not asked for')),
      fetchPage: () => Promise.reject(new Error('not asked for')),
      fetchAudio: async (_, options) => {
        const path = join(options.folder, basename(name));
        await cp(join(folder, name), path);
        await appendFile(path, Buffer.alloc(extraBytes[downloads.push(path) - 1] ?? 0));
        return { paths: [path], statedDurationSeconds: undefined, cameWhole: true, ...stated };
      },
    },
    maxMediaSeconds: 60,
    fetchTimeoutMs: 30_000,
  });
  const running = new MockActivityEnvironment().run(activity.fetchAudio, {
    recordId: RECORD_ID,
    mediaId: 'k3fP0aTz9Qw',
  });
  const result = await (running as Promise<JobResult>);
  return {
    result,
    downloads: downloads.length,
    looks: looks.mock.calls.map(([path]) => basename(path)),
    writes: writes.mock.calls.length,
  };
}

describe('the audio of a video', () => {
  it('that is an M4A of AAC is written once, and no further program looks at it', async () => {
    const { result, looks, writes } = await fetchAudio('aac.m4a');
    expect({ looks, writes }).toEqual({ looks: [], writes: 1 });
    expect(result).toMatchObject({ durationSeconds: expect.closeTo(SECONDS, 0) as number, files: [{}] });
  });

  it.each(['alac.m4a', 'opus.m4a', 'flac.flac'])('becomes AAC when it is something else (%s)', async (name) => {
    const { result } = await fetchAudio(name);
    const { streams, duration } = await probe(join(folder, 'files', RECORD_ID, result.files![0]!.name));
    expect(streams.map((stream) => stream.codec_name)).toEqual(['aac']);
    expect(duration).toBeCloseTo(SECONDS, 0);
  });

  it.each([{}, { statedDurationSeconds: 2 * SECONDS }])('is as long as what was decoded (%o)', async (stated) => {
    const { result } = await fetchAudio('aac.m4a', stated);
    expect(result.durationSeconds).toBeCloseTo(SECONDS, 0);
  });

  it.each(['aac.m4a', 'flac.flac'])(
    'that is shorter than the page says, and whose size nothing states, is made if a second download has the same size (%s)',
    async (name) => {
      const stated = { statedDurationSeconds: 2 * SECONDS, cameWhole: undefined };
      const { result, downloads } = await fetchAudio(name, stated);
      expect(downloads).toBe(2);
      expect(result.durationSeconds).toBeCloseTo(SECONDS, 0);
      await expect(fetchAudio(name, stated, [0, 9])).rejects.toMatchObject({ details: ['incomplete'] });
      await expect(fetchAudio(name, { ...stated, cameWhole: false })).rejects.toMatchObject({
        details: ['incomplete'],
      });
    },
  );

  it('fails when there is no sound', async () => {
    await expect(fetchAudio('pictures.m4a')).rejects.toMatchObject({ details: ['no_audio'] });
  });
});
