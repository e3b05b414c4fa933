import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import type { CaptionLine, VideoComment } from '../../contract/kinds/transcript-facts.ts';
import { readCaptions } from '../../sources/vidnet/captions/read-captions.ts';
import { readClipped, readFileBy } from '../../sources/vidnet/yt-dlp/read-file.ts';
import { readComments } from '../../sources/vidnet/yt-dlp/read-comments.ts';
import { LONGEST_TASK_MS, watchEventLoop } from '../helpers/event-loop.ts';
import { inFolder } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';

const HAN = '漢';

let stop: () => number;
beforeEach(() => {
  stop = watchEventLoop();
});
afterEach(() => {
  stop();
});

/** Writes the file, and begins to watch only then. */
async function withFile<Result>(text: string, read: (path: string) => Promise<Result>): Promise<Result> {
  return inFolder(async ({ folder }) => {
    const path = join(folder, 'file');
    await writeFile(path, text);
    stop();
    await new Promise(setImmediate);
    stop = watchEventLoop();
    return read(path);
  });
}

const signal = new AbortController().signal;
async function linesOf(path: string, format: 'json3' | 'vtt' | 'srt'): Promise<CaptionLine[]> {
  const lines: CaptionLine[] = [];
  for await (const page of readFileBy(readCaptions, { path, format, kind: 'automatic' }, { signal })) {
    lines.push(...page);
  }
  return lines;
}
const json3 = (events: readonly object[]): string => JSON.stringify({ wireMagic: 'pb3', events });
const oneLine = (bytes: number): string => HAN.repeat(Math.floor(bytes / 3));

describe('captions', () => {
  it.each(rows([14_700_000], [29_400_000]))(
    'of %d bytes in one line are refused, and nothing waits for it',
    async (bytes) => {
      const text = json3([{ tStartMs: 0, dDurationMs: 1_000, segs: [{ utf8: oneLine(bytes) }] }]);
      const failure = { code: 'too_large', message: expect.stringContaining('4 MB') as unknown };
      await expect(withFile(text, (path) => linesOf(path, 'json3'))).rejects.toMatchObject(failure);
      expect(stop()).toBeLessThan(LONGEST_TASK_MS);
    },
  );

  it.each([
    ['json3', json3([{ tStartMs: 0, dDurationMs: 80_000, segs: [{ utf8: oneLine(4_000_000) }] }])],
    ['vtt', `WEBVTT\n\n00:00.000 --> 01:20.000\n${oneLine(4_000_000)}\n`],
    ['srt', `1\n00:00:00,000 --> 00:01:20,000\n${oneLine(4_000_000)}\n`],
  ] as const)('of 4 MB in one line of %s are parted into lines that follow one another', async (format, text) => {
    const lines = await withFile(text, (path) => linesOf(path, format));
    expect(stop()).toBeLessThan(LONGEST_TASK_MS);
    expect(lines.map((line) => line.text).join('')).toBe(oneLine(4_000_000));
    expect(Math.max(...lines.map((line) => line.text.length))).toBe(2_000);
    for (const [i, { startSeconds }] of lines.entries()) {
      const before = lines[i - 1];
      if (before !== undefined) expect(startSeconds).toBeCloseTo(before.startSeconds + before.durationSeconds, 6);
    }
    expect(lines.at(-1)!.startSeconds + lines.at(-1)!.durationSeconds).toBeCloseTo(80, 6);
  });

  it.each(rows([4], [24]))('of %d hours, with a time for each word, are read', async (hours) => {
    const count = hours * 1_125;
    const segs = Array.from({ length: 8 }, (_, n) => ({
      utf8: ` wording${String(n)}`,
      tOffsetMs: n * 400,
      acAsrConf: 248,
    }));
    const events = Array.from({ length: count }, (_, n) => ({
      tStartMs: n * 3_200,
      dDurationMs: 3_200,
      wWinId: 1,
      segs,
    }));
    const lines = await withFile(JSON.stringify({ events }, undefined, 2), (path) => linesOf(path, 'json3'));
    expect(stop()).toBeLessThan(LONGEST_TASK_MS);
    expect(lines).toHaveLength(count);
  });

  it.each(rows([100_001], [300_000]))('of %d lines are refused', async (count) => {
    const events = Array.from({ length: count }, (_, n) => ({ tStartMs: n, dDurationMs: 1, segs: [{ utf8: 'x' }] }));
    const reading = withFile(json3(events), (path) => linesOf(path, 'json3'));
    await expect(reading).rejects.toMatchObject({ code: 'too_large' });
    expect(stop()).toBeLessThan(LONGEST_TASK_MS);
  });

  it('that are something else are refused by a thread as they are here', async () => {
    const reading = withFile(`<html>${'x'.repeat(300_000)}`, (path) => linesOf(path, 'json3'));
    await expect(reading).rejects.toMatchObject({ code: 'upstream_error', name: 'JobError' });
  });
});

describe('comments', () => {
  const max = 1_000_000;
  async function commentsOf(path: string): Promise<VideoComment[]> {
    const found: VideoComment[] = [];
    for await (const read of readFileBy(readComments, { path, max }, { signal })) {
      if ('page' in read) found.push(...read.page);
    }
    return found;
  }
  const factsOf = (comments: readonly object[]): string => JSON.stringify({ comments, formats: ['a'] });
  const reply = (n: number, parent: string): object => ({ id: `r${String(n)}`, parent, text: 'Yes.' });

  it.each(rows([40_000], [80_000, 150_000, 300_000]))(
    'with %d replies to one that is missing all come',
    async (count) => {
      const text = factsOf(Array.from({ length: count }, (_, n) => reply(n, 'missing')));
      expect(await withFile(text, commentsOf)).toHaveLength(count);
      expect(stop()).toBeLessThan(LONGEST_TASK_MS);
    },
  );

  it.each(rows([40_000], [150_000, 300_000]))('with %d replies before what they answer follow it', async (count) => {
    const replies = Array.from({ length: count }, (_, n) => reply(n, 'late'));
    const found = await withFile(factsOf([...replies, { id: 'late', text: 'Well?' }]), commentsOf);
    expect(stop()).toBeLessThan(LONGEST_TASK_MS);
    expect([found.length, found[0]?.id, found[1]?.id, found.at(-1)?.id]).toEqual([
      count + 1,
      'late',
      'r0',
      `r${String(count - 1)}`,
    ]);
  });

  it.each(rows([1_000_000], [10_000_000]))('have a bound for their text: %d characters', async (length) => {
    const [comment] = await withFile(factsOf([{ id: 'a', text: 'é'.repeat(length) }]), commentsOf);
    expect(comment?.text).toHaveLength(20_000);
    expect(stop()).toBeLessThan(LONGEST_TASK_MS);
  });
});

describe('facts', () => {
  it.each(rows([[1_000_000, 50_000]], [[10_000_000, 500_000]]))(
    'lose the rest of a text of %d characters and of a list of %d',
    async (length, count) => {
      const facts = { description: 'é'.repeat(length), formats: Array.from({ length: count }, () => ({})) };
      const read = await withFile(JSON.stringify(facts), async (path) => {
        const found: unknown[] = [];
        for await (const facts of readFileBy(readClipped, { path }, { signal })) found.push(facts);
        return found;
      });
      expect(stop()).toBeLessThan(LONGEST_TASK_MS);
      expect(read).toEqual([{ description: 'é'.repeat(65_536), formats: Array.from({ length: 500 }, () => ({})) }]);
    },
  );

  it('that are no JSON are none', async () => {
    const reading = (path: string) => readFileBy(readClipped, { path }, { signal }).next();
    expect(await withFile('', reading)).toEqual({ done: false, value: undefined });
    expect(await withFile('x'.repeat(300_000), reading)).toEqual({ done: false, value: undefined });
  });
});
