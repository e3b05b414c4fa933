import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../contract/cue-tokens.ts';
import { cuesOf } from '../../contract/cues.ts';

const SPEECH =
  'And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country. ' +
  'We choose to go to the moon in this decade and do the other things, not because they are easy.';
const linesOf = (text: string, labelColumns = 0): (readonly string[])[] =>
  cuesOf({ startSeconds: 10, durationSeconds: 12, text }, labelColumns).map(({ lines }) => lines);

describe('a text in cues', () => {
  it('that fits is left as it is, with its own lines', () => {
    expect(linesOf('Good evening.')).toEqual([['Good evening.']]);
    expect(linesOf('one\r\n\r\n \n two')).toEqual([['one', 'two']]);
  });

  it('of two lines is broken near its middle, after a clause if there is one', () => {
    expect(linesOf('a short one that goes over forty two columns, yes')).toEqual([
      ['a short one that goes over', 'forty two columns, yes'],
    ]);
    expect(linesOf('this one has a clause, and then some more words')).toEqual([
      ['this one has a clause,', 'and then some more words'],
    ]);
  });

  it('that is long becomes several of about equal length', () => {
    expect(linesOf(SPEECH)).toEqual([
      ['And so my fellow Americans,', 'ask not what your country can do for you,'],
      ['ask what you can do for your country.', 'We choose to go to the moon'],
      ['in this decade and do the other things,', 'not because they are easy.'],
    ]);
  });

  it('leaves room for the label of each', () => {
    for (const [first = ''] of linesOf(SPEECH, 11)) expect(columnsOf(first)).toBeLessThanOrEqual(31);
  });

  it('without blanks is parted between words, and its wide signs count twice', () => {
    const text =
      '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。';
    const cues = linesOf(text);
    expect(cues.flat().join('')).toBe(text);
    for (const line of cues.flat()) {
      expect(columnsOf(line)).toBeLessThanOrEqual(42);
      expect(line).not.toMatch(/^[。、]/);
    }
  });

  it('of a hundred thousand signs in one word takes no time that grows with its square', () => {
    expect(linesOf('日本語'.repeat(33_333)).flat().join('')).toHaveLength(99_999);
  });
});

describe('the times of cues', () => {
  it('are those of words', () => {
    const words = SPEECH.split(' ');
    const wordStarts = words.map((_, i) => 10 + i / 100);
    const cues = cuesOf({ startSeconds: 10, durationSeconds: 12, text: SPEECH, wordStarts });
    const starts = cues.map(({ startSeconds }) => startSeconds);
    expect(starts).toEqual([10, wordStarts[words.lastIndexOf('ask')], wordStarts[words.indexOf('in')]]);
    expect(cues.map(({ endSeconds }) => endSeconds)).toEqual([...starts.slice(1), 22]);
  });

  it('go by length where none are known, or not those of this text', () => {
    const text = { startSeconds: 0, durationSeconds: 9, text: SPEECH };
    const cues = cuesOf(text);
    for (const { startSeconds, endSeconds } of cues) expect(endSeconds - startSeconds).toBeCloseTo(3, 0);
    expect(cuesOf({ ...text, wordStarts: [1, 2] })).toEqual(cues);
  });
});

it('whatever is said is in the cues once and in order, within its time', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[\x21-\x7e]{1,12}$/),
    fc.stringMatching(/^[\x21-\x7e]{40,90}$/),
    fc.constantFrom('日本', '日本語を話す人がいる'.repeat(5), 'e\u0301', '👩‍🚀', 'end.', 'so,'),
  );
  const texts = fc.record({
    words: fc.array(word, { minLength: 1, maxLength: 60 }),
    starts: fc.array(fc.double({ min: -5, max: 50, noNaN: true }), { minLength: 60, maxLength: 60 }),
    isTimed: fc.boolean(),
    durationSeconds: fc.double({ min: 0, max: 30, noNaN: true }),
    labelColumns: fc.integer({ min: 0, max: 60 }),
  });
  fc.assert(
    fc.property(texts, ({ words, starts, isTimed, durationSeconds, labelColumns }) => {
      const text = { startSeconds: 3, durationSeconds, text: words.join(' ') };
      const timed = isTimed ? { ...text, wordStarts: starts.slice(0, words.length) } : text;
      const cues = cuesOf(timed, labelColumns);
      expect(
        cues
          .flatMap(({ lines }) => lines)
          .join('')
          .replaceAll(' ', ''),
      ).toBe(words.join(''));
      let before = 3;
      for (const { startSeconds, endSeconds, lines } of cues) {
        expect(lines.length === 1 || lines.length === 2).toBe(true);
        expect(startSeconds).toBeGreaterThanOrEqual(before);
        expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
        before = startSeconds;
      }
      expect(cues.at(-1)?.endSeconds).toBe(3 + durationSeconds);
    }),
  );
});
