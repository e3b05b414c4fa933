import { describe, expect, it } from 'vitest';
import { cutChunks } from '../../speech/sherpa/chunks.ts';
import { wordsOf, type Recognised } from '../../speech/sherpa/sherpa-words.ts';

const speech = [
  { startSeconds: 10, endSeconds: 12 },
  { startSeconds: 13, endSeconds: 15 },
];
const chunk = { startSeconds: 10, endSeconds: 15, speech };
const sampled = { startSeconds: 9.8, endSeconds: 15.2 };
const nothing: Recognised = { text: '', tokens: [], timestamps: [], durations: [] };
const words = (recognised: Partial<Recognised>): [string, number, number][] =>
  wordsOf({ ...nothing, ...recognised }, chunk, sampled).map(({ text, startSeconds, endSeconds }) => [
    ...([text, Math.round(startSeconds * 100) / 100, Math.round(endSeconds * 100) / 100] as const),
  ]);

describe('words of a chunk', () => {
  it('have the times of their tokens, which count from the start of the samples', () => {
    const tokens = [' Good', ' morn', 'ing', '.', ' ', 'Ja'];
    const timestamps = [0.2, 0.6, 0.8, 1, 2, 2.2];
    const durations = [0.4, 0.2, 0.2, 0, 0.1, 0.3];
    expect(words({ text: 'Good morning. Ja', tokens, timestamps, durations })).toEqual([
      ['Good', 10, 10.4],
      ['morning.', 10.4, 10.8],
      ['Ja', 12, 12.3],
    ]);
  });

  it('last until the next word if durations are missing, and never beyond the samples', () => {
    const tokens = [' a', ' b'];
    expect(words({ text: 'a b', tokens, timestamps: [1, 1.5], durations: [] })).toEqual([
      ['a', 10.8, 11.3],
      ['b', 11.3, 11.32],
    ]);
    expect(words({ text: 'a b', tokens, timestamps: [1, 9], durations: [1, 30] })[1]).toEqual(['b', 15.18, 15.2]);
  });

  it('are those of the text if tokens contain parts of characters', () => {
    const tokens = [' caf', '<0xC3>', '\ufffd', ' noir'];
    const timed = { tokens, timestamps: [0.2, 0.4, 0.5, 1.2], durations: [0.2, 0.1, 0.1, 0.4] };
    expect(words({ text: 'café noir', ...timed }).map(([text]) => text)).toEqual(['café', 'noir']);
    // The times of tokens are not used if tokens and text differ.
    expect(words({ text: 'one two three', ...timed })[0]).toEqual(['one', 10, 11.14]);
  });

  it('are distributed over the speech if there are no times', () => {
    expect(words({ text: 'four four' })).toEqual([
      ['four', 10, 12],
      ['four', 13, 15],
    ]);
    expect(words({})).toEqual([]);
  });
});

describe('chunks', () => {
  const lengths = (spans: [number, number][]): [number, number][] =>
    cutChunks(spans.map(([startSeconds, endSeconds]) => ({ startSeconds, endSeconds }))).map((part) => [
      ...([part.startSeconds, part.endSeconds] as const),
    ]);

  it('contain as much as Whisper processes at once, and no long silence', () => {
    expect(
      lengths([
        [0, 10],
        [11, 20],
        [21, 30],
        [33, 34],
      ]),
    ).toEqual([
      [0, 20],
      [21, 30],
      [33, 34],
    ]);
  });

  it('split longer speech', () => {
    expect(lengths([[0, 50]])).toEqual([
      [0, 25],
      [25, 50],
    ]);
  });
});
