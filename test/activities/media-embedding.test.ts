import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { MediaOptions } from '../../contract/kinds/media-options.ts';
import { CONTAINERS } from '../../contract/media-option-values.ts';
import { startMediaMaker, type MediaMaker } from '../helpers/media-maker.ts';
import { runTool } from '../helpers/media.ts';
import { addTalk } from '../helpers/talk-page.ts';

let maker: MediaMaker;
beforeAll(async () => {
  maker = await startMediaMaker();
  await addTalk(maker);
  const formats = [maker.format('180.mp4', { height: 180 })];
  maker.site.set('/recorded/bare', { body: { id: 'bare', title: 'bare', formats } });
  const thumbnails = [{ url: `${maker.site.url}/none.jpg` }];
  maker.site.set('/recorded/broken', { body: { id: 'broken', title: 'broken', formats, thumbnails } });
}, 120_000);
afterAll(() => maker.stop());

const TITLE = 'The bridge; at night = #1';
const CHAPTERS = [
  ['On the way', 0],
  ['The bridge', 10],
  ['Home', 25],
];

/** Reads the tags of a file by mutagen, which is part of yt-dlp's Python environment. */
async function readByMutagen(path: string): Promise<unknown> {
  const script = fileURLToPath(new URL('../helpers/read-tags.py', import.meta.url));
  const python = join(dirname(inject('tools').ytdlp), 'python3');
  return JSON.parse((await runTool(python, [script, path])).toString());
}

describe('what is embedded', () => {
  it.each<['audio' | 'video', NonNullable<MediaOptions['container']>, string[]]>([
    ['video', 'mp4', ['h264 360', 'aac', 'mov_text', 'mjpeg 100']],
    ['video', 'mkv', ['vp9 360', 'aac', 'subrip', 'mjpeg 100']],
    ['video', 'webm', ['vp9 360', 'opus', 'webvtt']],
    ['audio', 'm4a', ['aac', 'mjpeg 100']],
    ['audio', 'mp3', ['mp3', 'mjpeg 100']],
    ['audio', 'opus', ['opus', 'mjpeg 100']],
    ['audio', 'flac', ['flac', 'mjpeg 100']],
    ['audio', 'wav', ['pcm_s16le']],
  ])('%s in %s is all that the container can hold', async (format, container, streams) => {
    const embed = [...CONTAINERS[container].holds];
    const made = await maker.make(format, { container, embed });
    const chapters = (embed as string[]).includes('chapters') ? CHAPTERS : [];
    const texts = [TITLE, 'Ann & Ben', 'Autumn', '2026-03-14', `${maker.site.url}/recorded/talk`];
    expect(made.streams).toEqual(streams.toSorted());
    const { title, artist, album, date, comment } = made.tags;
    expect([title, artist, album, date, comment]).toEqual(texts);
    expect(made.chapters.map(([name, start]) => [name, Math.round(start)])).toEqual(chapters);
    const isStated = !['mp3', 'flac', 'wav'].includes(container);
    expect(made.languages.every((language) => language === (isStated ? 'eng' : undefined))).toBe(true);
    if (!['mkv', 'webm', 'wav'].includes(container)) {
      expect(await readByMutagen(made.path)).toEqual({ texts, covers: ['image/jpeg'], chapters });
    }
  });

  it.each(['bare', 'broken'])('is left out where there is none: %s', async (id) => {
    const made = await maker.make('video', { embed: ['captions', 'chapters', 'cover', 'tags'] }, { id });
    expect([made.streams, made.chapters]).toEqual([['h264 180'], []]);
    expect(made.tags['title']).toBe(id);
  });

  it('has chapters whose ends the page does not state', async () => {
    const chapters = [0, 20].map((start_time) => ({ title: `At ${String(start_time)}`, start_time }));
    const formats = [maker.format('en.m4a', { vcodec: 'none' })];
    maker.site.set('/recorded/endless', { body: { id: 'endless', title: 'endless', formats, chapters } });
    const made = await maker.make('audio', { embed: ['chapters'] }, { id: 'endless' });
    const times = made.chapters.map(([title, start, end]) => [title, Math.round(start), Math.round(end)]);
    expect(times).toEqual([
      ['At 0', 0, 20],
      ['At 20', 20, 40],
    ]);
  });

  it('is nothing of a file with other options only', async () => {
    const { tags, chapters } = await maker.make('video', { max_height: 360 });
    expect([tags['title'], chapters]).toEqual([undefined, []]);
  });
});
