import { failureFor } from '../../contract/failures.ts';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { BlockList, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import {
  createImgnetMediaActivities,
  type PostMedia,
  type PostMediaDeps,
  type PostMediaOrder,
} from '../../activities/imgnet-media.ts';
import type { PostContent } from '../../contract/kinds/imgnet-content.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import { createDownloader } from '../../outbound/download.ts';
import { createContentsStore } from '../../store/records/contents-store.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { probe, runTool } from '../helpers/media.ts';

let mongo: Mongo;
let folder: string;
let host: Server;
let deps: PostMediaDeps;
const SHORTCODE = '-AbCdEfGhIj';

let cuts = 0;

/** What the host of media has, beside files: statuses, half a file, and files whose length it does not state. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-post-audio-'));
  const { ffmpeg, ffprobe } = inject('tools');
  const picture = (seconds: number): string[] => ['-f', 'lavfi', '-i', `testsrc=d=${seconds}:s=64x64:r=10`];
  const sound = (seconds: number): string[] => ['-f', 'lavfi', '-i', `sine=d=${seconds}`];
  const make = (name: string, ...args: string[]): Promise<unknown> =>
    runTool(ffmpeg, ['-v', 'error', ...args, join(folder, name)]);
  await make('two.mp4', ...picture(2), ...sound(2), '-c:a', 'aac');
  // Shorter sound than pictures, as edited reels have it.
  await make('four.mp4', ...picture(6), ...sound(4), '-c:a', 'aac');
  await make('opus.webm', ...picture(3), ...sound(3), '-c:a', 'libopus');
  await make('silent.mp4', ...picture(2));
  await make('moov.mp4', ...picture(20), ...sound(20), '-c:a', 'aac', '-movflags', 'faststart');
  // Its table of contents is at the end, and gone.
  await writeFile(join(folder, 'damaged.mp4'), (await readFile(join(folder, 'two.mp4'))).subarray(0, 5_000));
  host = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    if (/^\d+$/.test(name)) response.writeHead(Number(name)).end();
    else if (name === 'page') response.end('<html>no video</html>');
    else {
      void readFile(join(folder, name.replace(/^(?:half|untold|cut)-/, ''))).then((bytes) => {
        if (/^(?:untold|cut)-/.test(name)) {
          Object.assign(response, { useChunkedEncodingByDefault: false });
          response.writeHead(200, { connection: 'close' });
          response.end(name.startsWith('cut-') ? bytes.subarray(0, bytes.length / 2 + (cuts += 1)) : bytes);
          return;
        }
        response.writeHead(200, { 'content-length': bytes.length });
        if (name.startsWith('half-')) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
        else response.end(bytes);
      });
    }
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));

  mongo = openMongo({ uri: inject('mongodbUri'), database: `pa-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  const allowedNetworks = new BlockList();
  allowedNetworks.addSubnet('127.0.0.0', 8, 'ipv4');
  const limits = { maxFileBytes: 10_000_000, maxMediaSeconds: 60 };
  deps = {
    contents: createContentsStore(mongo.db),
    files: createDiskFiles(join(folder, 'files')),
    space: createSpaceGuard({ folders: [folder], minFreeBytes: 0 }),
    workFolders: createWorkFolders(join(folder, 'work')),
    media: createMedia({ ffmpeg, ffprobe, maxVideoHeight: 1080, ...limits }),
    downloadMedia: createDownloader({ allowedNetworks, connectTimeoutMs: 2_000, idleTimeoutMs: 2_000 }),
    ...{ ...limits, fetchTimeoutMs: 20_000 },
  };
});
afterAll(async () => {
  host.closeAllConnections();
  host.close();
  await mongo.db.dropDatabase();
  await mongo.close();
  await rm(folder, { recursive: true, force: true });
});

const linkTo = (name: string): string => `http://127.0.0.1:${(host.address() as AddressInfo).port}/${name}`;
const aPost = (fields: Partial<PostContent>): PostContent => ({
  ...{ type: 'post', shortcode: SHORTCODE, url: `https://www.instagram.com/p/${SHORTCODE}/` },
  ...fields,
});
const slidesOf = (...names: string[]): Partial<PostContent> => ({
  post_content: names.map((name, index) => ({ index, type: 'video', url: linkTo(name) })),
});

async function made(post: PostContent, change: Partial<PostMediaDeps> = {}): Promise<PostMedia & { id: string }> {
  const id = ulid();
  await deps.contents.putFacts(id, post);
  const { fetchImgnetAudio } = createImgnetMediaActivities({ ...deps, ...change });
  const order = { recordId: id, contentsId: id, shortcode: SHORTCODE };
  const environment = new MockActivityEnvironment();
  const audio = await environment.run<[PostMediaOrder], PostMedia, typeof fetchImgnetAudio>(fetchImgnetAudio, order);
  return { ...audio, id };
}

describe('the audio of a post', () => {
  it('is one AAC file for each video, in order, copied where it is AAC, and silent where a video has no sound', async () => {
    const slides = slidesOf('silent.mp4', 'four.mp4', 'opus.webm', 'two.mp4').post_content ?? [];
    const withPhoto = [{ index: 0, type: 'photo', url: linkTo('404') }, ...slides];
    const audio = await made(aPost({ post_content: withPhoto }));
    if (audio.state !== 'made') throw new Error(audio.failure.message);
    const { files = [], durationSeconds } = audio.result;
    expect(files.map(({ name }) => name)).toEqual([1, 2, 3, 4].map((number) => `${SHORTCODE}-${number}.m4a`));
    // Of the first with sound, which is the one that can be transcribed.
    expect(Math.round(durationSeconds ?? 0)).toBe(4);
    expect(files.map(({ isSilence }) => isSilence)).toEqual([true, undefined, undefined, undefined]);
    const facts = await Promise.all(
      files.map(async (file) => probe(await deps.files.localCopy(audio.id, file, folder))),
    );
    expect(facts.map(({ duration }) => Math.round(duration))).toEqual([2, 4, 3, 2]);
    for (const { streams } of facts) expect(streams.map(({ codec_name }) => codec_name)).toEqual(['aac']);
    expect(await readdir(join(folder, 'work'))).toEqual([]);
  });

  it.each([
    ['only photos', aPost({ content_type: 'image' })],
    ['silent videos', undefined],
  ])('has no files for %s', async (_case, post) => {
    const audio = await made(post ?? aPost(slidesOf('silent.mp4')));
    expect(audio).toMatchObject({ state: 'made', result: { files: [] } });
  });

  it.each([403, 404, 410])('is stale when a link answers %i, and nothing is published', async (status) => {
    const audio = await made(aPost(slidesOf('two.mp4', String(status))));
    expect(audio).toMatchObject({ state: 'stale', failure: failureFor('mediaLinksExpired') });
    await expect(readdir(join(folder, 'files', audio.id))).rejects.toThrow('ENOENT');
  });

  it('is made of a video whose length the host does not state', async () => {
    expect(await made(aPost(slidesOf('untold-two.mp4')))).toMatchObject({ state: 'made' });
  });

  it('is stale when the record has no URL of its video', async () => {
    expect(await made(aPost({ content_type: 'video' }))).toMatchObject({ state: 'stale' });
  });
});

describe('a post whose media cannot be downloaded', () => {
  it.each([
    ['429', 'upstream', 'rate_limited'],
    ['500', 'upstream', 'upstream_error'],
    ['206', 'upstream', 'upstream_error'],
    ['half-two.mp4', 'upstream', 'incomplete'],
    // No length is stated: two downloads of different sizes were cut off, two of the same size came whole.
    ['cut-two.mp4', 'upstream', 'incomplete'],
    ['cut-moov.mp4', 'upstream', 'incomplete'],
    ['untold-damaged.mp4', 'subject', 'unsupported'],
    // They came whole: the next download would be the same.
    ['page', 'subject', 'unsupported'],
    ['damaged.mp4', 'subject', 'unsupported'],
  ])('fails for the response %s with the fault %s and the code %s', async (name, type, code) => {
    await expect(made(aPost(slidesOf(name)))).rejects.toMatchObject({ type, details: [code] });
  });

  it('fails as unsupported for a private address, without a connection', async () => {
    const settings = { allowedNetworks: new BlockList(), connectTimeoutMs: 1_000, idleTimeoutMs: 1_000 };
    const onConnection = vi.fn();
    host.on('connection', onConnection);
    await expect(made(aPost(slidesOf('two.mp4')), { downloadMedia: createDownloader(settings) })).rejects.toMatchObject(
      {
        details: ['unsupported'],
      },
    );
    expect(onConnection).not.toHaveBeenCalled();
  });

  it('fails as too_large or too_long above the limits', async () => {
    const post = aPost(slidesOf('two.mp4'));
    await expect(made(post, { maxFileBytes: 100 })).rejects.toMatchObject({ details: ['too_large'] });
    await expect(made(post, { maxMediaSeconds: 1 })).rejects.toMatchObject({ details: ['too_long'] });
  });
});
