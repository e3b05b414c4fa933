import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpeakerTurn, Word } from '../../contract/speech-results.ts';
import { joinWords } from '../../speech/join-words.ts';

const word = (text: string, startSeconds: number, endSeconds: number): Word => ({ text, startSeconds, endSeconds });
const voice = (speaker: number, startSeconds: number, endSeconds: number): SpeakerTurn => ({
  speaker,
  startSeconds,
  endSeconds,
});
const said = async (words: readonly Word[], voices: readonly SpeakerTurn[]): Promise<string[]> =>
  (await joinWords(words, voices)).map(({ speaker, text }) => `${speaker}: ${text}`);

describe('the speaker of a word', () => {
  it('is the person who talks, and a change of speaker ends a segment', async () => {
    const words = [word('hello', 0, 0.5), word('there', 0.5, 1), word('hi', 1.1, 1.4), word('bye', 2, 2.4)];
    expect(await joinWords(words, [voice(0, 0, 1), voice(1, 1, 1.5), voice(0, 1.9, 2.5)])).toEqual([
      { text: 'hello there', start: 0, duration: 1, speaker: 'Speaker 1', wordStarts: [0, 0.5] },
      { text: 'hi', start: 1.1, duration: 0.3, speaker: 'Speaker 2', wordStarts: [1.1] },
      { text: 'bye', start: 2, duration: 0.4, speaker: 'Speaker 1', wordStarts: [2] },
    ]);
  });

  it('is the one with the larger overlap at a change of speakers', async () => {
    const voices = [voice(0, 0, 1), voice(1, 1, 3)];
    expect(await said([word('one', 0, 0.5), word('two', 0.7, 1.2), word('three', 1.2, 2)], voices)).toEqual([
      'Speaker 1: one two',
      'Speaker 2: three',
    ]);
    expect(await said([word('one', 0, 0.5), word('two', 0.8, 1.4), word('three', 1.4, 2)], voices)).toEqual([
      'Speaker 1: one',
      'Speaker 2: two three',
    ]);
  });

  it('stays the same while another speaker talks at the same time', async () => {
    const voices = [voice(0, 0, 3), voice(1, 1, 2)];
    expect(await said([word('a', 0, 0.9), word('b', 1.1, 1.9), word('c', 2.1, 2.9)], voices)).toEqual([
      'Speaker 1: a b c',
    ]);
  });

  it('is the nearest one outside all intervals, and the previous one far from them', async () => {
    const voices = [voice(0, 0, 1), voice(1, 3, 4)];
    const words = [word('a', 0, 1), word('b', 2.5, 2.8), word('c', 3, 4), word('d', 60, 61)];
    expect(await said(words, voices)).toEqual(['Speaker 1: a', 'Speaker 2: b c', 'Speaker 2: d']);
  });

  it('does not change for one short word', async () => {
    const voices = [voice(0, 0, 1), voice(1, 1, 1.2), voice(0, 1.2, 3)];
    expect(await said([word('a', 0, 1), word('b', 1, 1.2), word('c', 1.2, 2)], voices)).toEqual(['Speaker 1: a b c']);
  });
});

describe('segments', () => {
  it('end at a pause', async () => {
    expect(await said([word('a', 0, 1), word('b', 3, 4)], [voice(0, 0, 4)])).toEqual(['Speaker 1: a', 'Speaker 1: b']);
  });

  it('of a long speech end at the end of a sentence', async () => {
    const words = Array.from({ length: 40 }, (_, i) => word(i % 10 === 9 ? 'end.' : 'word', i * 0.3, i * 0.3 + 0.3));
    for (const { text } of (await joinWords(words, [])).slice(0, -1)) expect(text).toMatch(/end\.$/);
  });

  it('contain the start of each word, even if a word of the engine contains a space', async () => {
    const [segment] = await joinWords([word('One –', 0, 0.5), word('two', 0.50049, 1)], []);
    expect(segment).toMatchObject({ text: 'One – two', wordStarts: [0, 0, 0.5] });
  });

  it('have one speaker without intervals, and do not exist without words', async () => {
    const only = { text: 'a', start: 0, duration: 1, speaker: 'Speaker 1', wordStarts: [0] };
    expect(await joinWords([word('a', 0, 1)], [])).toEqual([only]);
    expect(await joinWords([], [voice(0, 0, 5)])).toEqual([]);
  });
});

describe('any words and speakers', () => {
  const span = fc
    .tuple(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 3_000 }))
    .map(([start, length]) => ({
      startSeconds: start / 1000,
      endSeconds: (start + length) / 1000,
    }));
  const words = fc.array(
    fc.tuple(fc.stringMatching(/^[a-z]{1,12}[.?]?$/), span).map(([text, times]) => ({ text, ...times })),
    { maxLength: 60 },
  );
  const voices = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 5 }), span).map(([speaker, times]) => ({ speaker, ...times })),
    {
      maxLength: 30,
    },
  );

  it('are joined to readable segments in order, which contain each word once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(words, voices, async (someWords, someVoices) => {
        const segments = await joinWords(someWords, someVoices);
        const sorted = someWords.toSorted((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
        expect(segments.flatMap(({ text }) => text.split(' '))).toEqual(sorted.map(({ text }) => text));
        const starts = segments.map(({ start }) => start);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        for (const { text, duration } of segments) {
          expect(duration).toBeGreaterThanOrEqual(0);
          expect(text.length).toBeLessThanOrEqual(200);
          if (text.includes(' ')) expect(duration).toBeLessThanOrEqual(12);
        }
      }),
    );
  });

  it('are labelled in order of appearance', async () => {
    await fc.assert(
      fc.asyncProperty(words, voices, async (someWords, someVoices) => {
        const labels = [...new Set((await joinWords(someWords, someVoices)).map(({ speaker }) => speaker))];
        expect(labels).toEqual(labels.map((_, i) => `Speaker ${i + 1}`));
        const speakers = new Set(someVoices.map(({ speaker }) => speaker)).size;
        expect(labels.length).toBeLessThanOrEqual(Math.max(1, speakers));
      }),
    );
  });

  it('give the same segments in any order', async () => {
    await fc.assert(
      fc.asyncProperty(words, voices, async (someWords, someVoices) => {
        const distinct = [...new Map(someWords.map((w) => [`${w.startSeconds} ${w.endSeconds}`, w])).values()];
        expect(await joinWords(distinct.toReversed(), someVoices)).toEqual(await joinWords(distinct, someVoices));
      }),
    );
  });
});
