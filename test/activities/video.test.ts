import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createVideoActivity } from '../../activities/media.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import type { FetchedMedia } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { runTool } from '../helpers/media.ts';

const SECONDS = 12;
const TEA = new URL('../../local/sandbox/catalogue/media/tea/', import.meta.url);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-fetch-'));
  const make = (name: string, source: string, ...codec: string[]): Promise<Buffer> =>
    runTool(inject('tools').ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', source, ...codec, join(folder, name)]);
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  await make('pictures.mp4', `testsrc=d=${String(SECONDS)}:s=64x64:r=10`, ...h264);
  await make('half.mp4', `testsrc=d=${String(SECONDS / 2)}:s=64x64:r=10`, ...h264);
  await make('whole.mp4', `testsrc=d=${String(SECONDS)}:s=64x64:r=10`, ...h264, '-g', '10');
  await make('sound.m4a', `sine=d=${String(SECONDS)}`);
  await make('half.m4a', `sine=d=${String(SECONDS / 2)}`);
  const fragmented = await readFile(new URL('160.mp4', TEA));
  await writeFile(join(folder, 'cut.mp4'), fragmented.subarray(0, fragmented.length / 2));
  await writeFile(join(folder, 'page.mp4'), '<html>no video</html>');
  await cp(new URL('140.m4a', TEA), join(folder, 'tea.m4a'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the activity on files that a platform is said to have sent. */
function fetchVideo(names: readonly string[], facts: Omit<FetchedMedia, 'paths'>): Promise<JobResult> {
  const { ffmpeg, ffprobe } = inject('tools');
  const activity = createVideoActivity({
    files: createDiskFiles(join(folder, 'files')),
    space: createSpaceGuard({ folders: [folder], minFreeBytes: 0 }),
    workFolders: createWorkFolders(join(folder, 'work')),
    media: createMedia({ ffmpeg, ffprobe, maxFileBytes: 10_000_000, maxMediaSeconds: 60, maxVideoHeight: 1080 }),
    vidnet: {
      fetchAudio: () => Promise.reject(new Error('not asked for')),
      fetchPage: () => Promise.reject(new Error('not asked for')),
      fetchVideo: async (_, options) => {
        const paths = names.map((name) => join(options.folder, basename(name)));
        for (const [index, path] of paths.entries()) await cp(join(folder, names[index]!), path);
        return { paths, ...facts };
      },
    },
    maxMediaSeconds: 60,
    fetchTimeoutMs: 30_000,
  });
  return new MockActivityEnvironment().run(activity.fetchVideo, {
    recordId: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD',
    mediaId: 'k3fP0aTz9Qw',
  });
}

describe('pictures and sound that come apart', () => {
  const stated = { statedDurationSeconds: SECONDS, cameWhole: false };

  it('are one MP4 when both are whole', async () => {
    const { durationSeconds, files } = await fetchVideo(['pictures.mp4', 'sound.m4a'], stated);
    expect(durationSeconds).toBeCloseTo(SECONDS, 0);
    expect(files).toEqual([expect.not.objectContaining({ isSilence: true })]);
  });

  it('are marked when there is no sound', async () => {
    const { files } = await fetchVideo(['pictures.mp4'], stated);
    expect(files).toMatchObject([{ isSilence: true }]);
  });

  it.each([
    ['pictures', ['half.mp4', 'sound.m4a']],
    ['sound', ['pictures.mp4', 'half.m4a']],
  ])('are incomplete when the %s ended early, though the other file is as long as stated', async (_, names) => {
    await expect(fetchVideo(names, stated)).rejects.toMatchObject({ type: 'upstream', details: ['incomplete'] });
  });

  it('are incomplete when half of a fragmented file is missing, which still states the whole duration', async () => {
    const tea = { statedDurationSeconds: 28.5, cameWhole: false };
    await expect(fetchVideo(['cut.mp4', 'tea.m4a'], tea)).rejects.toMatchObject({ details: ['incomplete'] });
  });

  it('may differ when all bytes came: some recordings fall silent', async () => {
    const { durationSeconds } = await fetchVideo(['pictures.mp4', 'half.m4a'], { ...stated, cameWhole: true });
    expect(durationSeconds).toBeCloseTo(SECONDS, 0);
  });
});

it('pictures whose end cannot be decoded are as long as those that can', async () => {
  const bytes = await readFile(join(folder, 'whole.mp4'));
  // The samples precede the index. The second half of them is overwritten.
  const samplesEnd = bytes.indexOf('moov');
  await writeFile(join(folder, 'damaged.mp4'), bytes.fill(255, Math.round(samplesEnd / 2), samplesEnd - 4));
  const { durationSeconds } = await fetchVideo(['damaged.mp4'], { statedDurationSeconds: SECONDS, cameWhole: true });
  expect(durationSeconds).toBeGreaterThan(SECONDS / 4);
  expect(durationSeconds).toBeLessThan((SECONDS * 3) / 4);
});

describe('a file that cannot be read', () => {
  it.each([
    ['is what the platform has when all of it came', true, 'subject', 'unsupported'],
    [
      'may be half of one when nothing states its size, and a second download has another one',
      false,
      'upstream',
      'incomplete',
    ],
  ])('%s', async (_title, cameWhole, type, code) => {
    const facts = { statedDurationSeconds: SECONDS, cameWhole };
    const fetched = fetchVideo(['page.mp4'], facts);
    await expect(fetched).rejects.toMatchObject({ type, details: [code], nonRetryable: true });
  });
});
