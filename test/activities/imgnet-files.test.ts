import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  createImgnetMediaActivities,
  type PostMedia,
  type PostMediaDeps,
  type PostMediaOrder,
} from '../../activities/imgnet-media.ts';
import { failureFor } from '../../contract/failures.ts';
import type { PostContent } from '../../contract/kinds/imgnet-content.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import { DownloadError } from '../../outbound/download.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { runTool } from '../helpers/media.ts';

const SHORTCODE = '-AbCdEfGhIj';
const REST = Buffer.alloc(64);
const ftyp = (brand: string): Buffer => Buffer.concat([Buffer.from(`\0\0\0\x18ftyp${brand}`, 'latin1'), REST]);
const bytesOf: Record<string, Buffer> = {
  jpeg: Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), REST]),
  webp: Buffer.concat([Buffer.from('RIFF\x48\0\0\0WEBP', 'latin1'), REST]),
  heic: ftyp('heic'),
  avif: ftyp('avif'),
  page: Buffer.from('<html>no picture</html>'),
  damaged: ftyp('isom'),
};
let folder: string;
let deps: Omit<PostMediaDeps, 'contents'>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-post-files-'));
  const { ffmpeg, ffprobe } = inject('tools');
  const make = async (name: string, ending: string, ...args: string[]): Promise<void> => {
    const path = join(folder, `${name}.${ending}`);
    await runTool(ffmpeg, ['-v', 'error', ...args, path]);
    bytesOf[name] = await readFile(path);
  };
  const pictures = (seconds: number): string[] => ['-f', 'lavfi', '-i', `testsrc=d=${seconds}:s=64x64:r=10`];
  await make('png', 'png', ...pictures(1), '-frames:v', '1');
  await make('silent', 'mp4', ...pictures(2));
  await make('spoken', 'mp4', ...pictures(3), '-f', 'lavfi', '-i', 'sine=d=3', '-c:a', 'aac');
  await make('sound', 'm4a', '-f', 'lavfi', '-i', 'sine=d=1');
  const limits = { maxFileBytes: 10_000_000, maxMediaSeconds: 60 };
  deps = {
    files: createDiskFiles(join(folder, 'files')),
    space: createSpaceGuard({ folders: [folder], minFreeBytes: 0 }),
    workFolders: createWorkFolders(join(folder, 'work')),
    media: createMedia({ ffmpeg, ffprobe, maxVideoHeight: 1080, ...limits }),
    downloadMedia: async (url, { path }) => {
      const bytes = bytesOf[new URL(url).pathname.slice(1)];
      if (bytes === undefined) throw new DownloadError({ kind: 'status', statusCode: 403 });
      await writeFile(path, bytes);
      return { sizeBytes: bytes.length, cameWhole: true };
    },
    ...{ ...limits, fetchTimeoutMs: 20_000 },
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function kept(...names: string[]): Promise<PostMedia & { readonly id: string }> {
  const id = ulid();
  const content: PostContent = {
    ...{ type: 'post', shortcode: SHORTCODE, url: `https://www.instagram.com/p/${SHORTCODE}/` },
    post_content: names.map((name, index) => {
      const type = name === 'silent' || name === 'spoken' ? 'video' : 'photo';
      return { index, type, url: `https://cdn.example/${name}` };
    }),
  };
  const contents = { facts: () => Promise.resolve(content) } as unknown as PostMediaDeps['contents'];
  const { fetchImgnetFiles } = createImgnetMediaActivities({ ...deps, contents });
  const environment = new MockActivityEnvironment();
  const order = { recordId: id, contentsId: id, shortcode: SHORTCODE };
  const made = await environment.run<[PostMediaOrder], PostMedia, typeof fetchImgnetFiles>(fetchImgnetFiles, order);
  return { ...made, id };
}

describe('the files of a post', () => {
  it('are all slides in order, byte by byte, named by what they are', async () => {
    const names = ['jpeg', 'silent', 'png', 'webp', 'spoken', 'heic', 'avif'];
    const made = await kept(...names);
    if (made.state !== 'made') throw new Error(made.failure.message);
    const { files = [], durationSeconds } = made.result;
    const endings = ['jpg', 'mp4', 'png', 'webp', 'mp4', 'heic', 'avif'];
    expect(files.map(({ name }) => name)).toEqual(
      endings.map((ending, index) => `${SHORTCODE}-${String(index + 1)}.${ending}`),
    );
    for (const [index, file] of files.entries()) {
      const bytes = await readFile(await deps.files.localCopy(made.id, file, folder));
      expect(bytes.equals(bytesOf[names[index]!]!)).toBe(true);
    }
    // Only the fifth can be transcribed.
    expect(files.map(({ isSilence }) => isSilence ?? false)).toEqual(endings.map((_ending, index) => index !== 4));
    expect(Math.round(durationSeconds ?? 0)).toBe(3);
    expect(await readdir(join(folder, 'work'))).toEqual([]);
  });

  it.each([
    ['a page', 'page', /cannot be read/],
    ['a damaged video', 'damaged', /cannot be read/],
    ['sound without pictures', 'sound', /no pictures/],
  ])('are not published if one is %s', async (_case, name, message) => {
    const before = (await readdir(join(folder, 'files')).catch(() => [])).length;
    await expect(kept('jpeg', name)).rejects.toThrow(message);
    expect((await readdir(join(folder, 'files')).catch(() => [])).length).toBe(before);
  });

  it('are stale when a link has expired', async () => {
    const made = await kept('jpeg', 'expired');
    expect(made).toMatchObject({ state: 'stale', failure: failureFor('mediaLinksExpired') });
  });
});
