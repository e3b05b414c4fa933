import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createAudioActivity } from '../../activities/media.ts';
import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import type { FetchedMedia, VidnetSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { runTool } from '../helpers/media.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';

const MIB = 1024 ** 2;
let folder: string;
let freeBytes: number;
const fetchAudioOfSource = vi.fn<VidnetSource['fetchAudio']>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-full-'));
  freeBytes = 1_000 * MIB;
});
afterEach(async () => {
  vi.resetAllMocks();
  await rm(folder, { recursive: true, force: true });
});

/** The activity that fetches audio, below a folder, with the free space as the test says or as it is. */
function fetchAudio({ on = folder, realSpace = false } = {}): Promise<unknown> {
  const { ffmpeg, ffprobe } = inject('tools');
  const space = createSpaceGuard({
    ...{ folders: [on], minFreeBytes: realSpace ? 0 : 100 * MIB, checkEveryMs: 20 },
    ...(realSpace ? {} : { freeBytes: () => Promise.resolve(freeBytes) }),
  });
  const activity = createAudioActivity({
    ...{ files: createDiskFiles(join(on, 'files')), workFolders: createWorkFolders(join(on, 'work')), space },
    media: createMedia({ ffmpeg, ffprobe, maxFileBytes: 100 * MIB, maxMediaSeconds: 600, maxVideoHeight: 1080 }),
    vidnet: {
      fetchAudio: fetchAudioOfSource,
      fetchVideo: () => Promise.reject(new Error('unexpected call')),
      fetchPage: () => Promise.reject(new Error('unexpected call')),
    },
    ...{ maxMediaSeconds: 600, fetchTimeoutMs: 60_000 },
  });
  const job = { recordId: ulid(), mediaId: randomUUID().slice(0, 11) };
  return new MockActivityEnvironment().run(activity.fetchAudio, job).catch((error: unknown) => error);
}
const diskFull = { type: 'internal', nonRetryable: true, details: ['disk_full'] };
const leftIn = async (on = folder): Promise<string[]> => [
  ...(await readdir(join(on, 'work')).catch(() => [])),
  ...(await readdir(join(on, 'files'), { recursive: true }).catch(() => [])),
];

describe('a download without enough disk space', () => {
  it('does not start', async () => {
    freeBytes = 99 * MIB;
    expect(await fetchAudio()).toMatchObject(diskFull);
    expect(fetchAudioOfSource).not.toHaveBeenCalled();
    expect(await leftIn()).toEqual([]);
  });

  it('stops when other programs fill the disk, and leaves no files', async () => {
    let sawFile: string[] = [];
    fetchAudioOfSource.mockImplementation(async (_id, { folder: work, signal }): Promise<FetchedMedia> => {
      await writeFile(join(work, 'media.part'), Buffer.alloc(MIB));
      sawFile = await readdir(work);
      freeBytes = 49 * MIB;
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    });
    expect(await fetchAudio()).toMatchObject(diskFull);
    expect(sawFile).toEqual(['media.part']);
    expect(await leftIn()).toEqual([]);
  });

  it('fails as disk_full for ENOSPC in the cause of any error', async () => {
    fetchAudioOfSource.mockImplementation(() => {
      throw new Error('cannot copy', { cause: Object.assign(new Error('write'), { code: 'ENOSPC' }) });
    });
    expect(await fetchAudio()).toMatchObject(diskFull);
    expect(await leftIn()).toEqual([]);
  });

  it.each([
    // Half of what was sent, since the rest could not be written.
    ['incomplete', 'disk_full'],
    ['upstream_error', 'disk_full'],
    ['private', 'private'],
    ['tool_missing', 'tool_missing'],
    ['rate_limited', 'disk_full'],
  ] as const)('reports %s on a full disk as %s', async (thrown: FailureCode, expected: FailureCode) => {
    fetchAudioOfSource.mockImplementation(() => {
      freeBytes = 0;
      return Promise.reject(new JobError({ code: thrown, message: 'It failed.' }));
    });
    expect(await fetchAudio()).toMatchObject({ details: [expected] });
  });
});

describe.runIf(canMount)('a small disk', () => {
  it('reports disk_full when it fills during the download or the conversion, and keeps no files', async () => {
    const small = join(folder, 'small');
    const disk = mountSmallDisk(small, 2);
    try {
      fetchAudioOfSource.mockImplementationOnce(async (_id, { folder: work }) => {
        await writeFile(join(work, 'media.wav'), Buffer.alloc(8 * MIB));
        throw new Error('this should not fit');
      });
      expect(await fetchAudio({ on: small, realSpace: true })).toMatchObject(diskFull);
      expect(await leftIn(small)).toEqual([]);

      // The source fits, and what ffmpeg makes of it does not.
      const { ffmpeg } = inject('tools');
      const sound = ['-f', 'lavfi', '-i', 'anoisesrc=d=45:c=white:r=44100', '-c:a', 'aac', '-b:a', '256k'];
      const source = join(folder, 'sound.m4a');
      await runTool(ffmpeg, ['-v', 'error', ...sound, source]);
      fetchAudioOfSource.mockImplementation(async (_id, { folder: work }) => {
        const path = join(work, 'media.m4a');
        await runTool(ffmpeg, ['-v', 'error', '-i', source, '-c', 'copy', path]);
        return { paths: [path], statedDurationSeconds: 45, cameWhole: true };
      });
      expect(await fetchAudio({ on: small, realSpace: true })).toMatchObject(diskFull);
      expect(await leftIn(small)).toEqual([]);

      disk.resize(16);
      expect(await fetchAudio({ on: small, realSpace: true })).toMatchObject({
        files: [{ sizeBytes: expect.any(Number) as number }],
      });
    } finally {
      disk.unmount();
    }
  });
});
