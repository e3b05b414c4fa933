import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, tokensOf } from '../../contract/text/cue-tokens.ts';
import { cuesOf } from '../../contract/text/cues.ts';

const SPEECH =
  'And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country. ' +
  'We choose to go to the moon in this decade and do the other things, not because they are easy.';
/** A word with hyphens that fills a line. */
const WIDEST = `${'abcdefg-'.repeat(5)}ab`;
/** 38 characters in 76 columns without a space. */
const JAPANESE = '吾輩は猫である名前はまだ無いどこで生れたかとんと見当がつかぬ何でも薄暗いじめ';
const linesOf = (text: string, labelColumns = 0): (readonly string[])[] =>
  cuesOf({ startSeconds: 10, durationSeconds: 12, text }, labelColumns).map(({ lines }) => lines);

describe('a text in cues', () => {
  it('that fits is not changed and keeps its lines', () => {
    expect(linesOf('Good evening.')).toEqual([['Good evening.']]);
    expect(linesOf('one\r\n\r\n \n two')).toEqual([['one', 'two']]);
    const full = `${'a'.repeat(20)} ${'b'.repeat(21)}`;
    expect(linesOf(`${full}\nyes`)).toEqual([[full, 'yes']]);
    expect(linesOf(`Thirty-one columns and no more.\n${WIDEST}`, 11)).toEqual([
      ['Thirty-one columns and no more.', WIDEST],
    ]);
  });

  it('with a line that is too long, or with too many lines, is wrapped again', () => {
    expect(linesOf('short\na long line of words that goes over forty-two columns, yes')).toEqual([
      ['short a long line of words that', 'goes over forty-two columns, yes'],
    ]);
    expect(linesOf('and one of forty columns, well, forty one\nshort', 11)).toEqual([
      ['and one of forty columns,', 'well, forty one short'],
    ]);
    expect(linesOf('one\ntwo\nthree')).toEqual([['one two three']]);
  });

  it('of two lines is wrapped near its middle, after a clause if there is one', () => {
    expect(linesOf('a short one that goes over forty two columns, yes')).toEqual([
      ['a short one that goes over', 'forty two columns, yes'],
    ]);
    expect(linesOf('this one has a clause, and then some more words')).toEqual([
      ['this one has a clause,', 'and then some more words'],
    ]);
    expect(linesOf('Yes, this has its only clause at its beginning')).toEqual([
      ['Yes, this has its only', 'clause at its beginning'],
    ]);
  });

  it('that is long is split into cues of similar length', () => {
    expect(linesOf(SPEECH)).toEqual([
      ['And so my fellow Americans,', 'ask not what your country can do for you,'],
      ['ask what you can do for your country.', 'We choose to go to the moon'],
      ['in this decade and do the other things,', 'not because they are easy.'],
    ]);
  });

  it('fills both lines to the last column before it adds a cue', () => {
    const [first, second] = [`${'a'.repeat(20)} ${'b'.repeat(21)}`, `${'c'.repeat(20)} ${'d'.repeat(21)}`];
    expect(linesOf(`${first} ${second}`)).toEqual([[first, second]]);
  });

  it('does not break a word that fits into a line', () => {
    expect(linesOf(`so ${WIDEST}`)).toEqual([['so', WIDEST]]);
  });

  it('reserves columns for the label of each cue', () => {
    for (const [first = ''] of linesOf(SPEECH, 11)) expect(columnsOf(first)).toBeLessThanOrEqual(31);
  });

  it('without spaces is split between words, and its wide characters count twice', () => {
    const text =
      '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。';
    const cues = linesOf(text);
    expect(cues.flat().join('')).toBe(text);
    for (const line of cues.flat()) {
      expect(columnsOf(line)).toBeLessThanOrEqual(42);
      expect(line).not.toMatch(/^[。、]/);
    }
    for (const token of tokensOf({ startSeconds: 0, durationSeconds: 9, text }))
      expect(token.text).not.toMatch(/^[。、]/);
    expect(linesOf(JAPANESE)).toEqual([
      ['吾輩は猫である名前はまだ無いどこで生れ', 'たかとんと見当がつかぬ何でも薄暗いじめ'],
    ]);
    expect(linesOf(`see ${JAPANESE}`)[0]?.[0]).toMatch(/^see 吾輩/);
  });

  it('of one word with a hundred thousand characters is processed in linear time', () => {
    expect(linesOf('日本語'.repeat(33_333)).flat().join('')).toHaveLength(99_999);
  });
});

describe('the columns of a text', () => {
  it.each([
    ['', 0],
    ['tape', 4],
    ['naïve', 5],
    ['日本', 4],
    ['tape 日', 7],
    ['日 tape', 7],
    ['한글', 4],
    ['！', 2],
    ['a\u0300', 1],
    ['e\u0301t', 2],
  ])('%j are %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
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

  it('are estimated by length if they are unknown or belong to another text', () => {
    const text = { startSeconds: 0, durationSeconds: 9, text: SPEECH };
    const cues = cuesOf(text);
    for (const { startSeconds, endSeconds } of cues) expect(endSeconds - startSeconds).toBeCloseTo(3, 0);
    expect(cuesOf({ ...text, wordStarts: [1, 2] })).toEqual(cues);
    expect(cuesOf({ ...text, text: `  ${SPEECH.replaceAll(' ', '  ')} ` })).toEqual(cues);
  });

  it('are estimated by length within one long word and for words of one letter', () => {
    for (const text of [JAPANESE.repeat(2), Array.from({ length: 60 }, () => 'a').join(' ')]) {
      const [first, second, ...more] = cuesOf({ startSeconds: 10, durationSeconds: 12, text });
      expect([first?.startSeconds, second?.endSeconds, more.length]).toEqual([10, 22, 0]);
      expect(second?.startSeconds).toBeCloseTo(16, 0);
      expect(first?.endSeconds).toBe(second?.startSeconds);
    }
  });
});

it('puts any text into cues once, in order and within its time', () => {
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
        expect(lines).not.toContain('');
        expect(startSeconds).toBeGreaterThanOrEqual(before);
        expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
        before = startSeconds;
      }
      expect(cues.at(-1)?.endSeconds).toBe(3 + durationSeconds);
    }),
  );
});

it('makes no line wider than the space beside its label', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}[.,]?$/);
  const texts = fc.tuple(fc.array(word, { minLength: 1, maxLength: 60 }), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(texts, ([words, labelColumns]) => {
      for (const [first = '', second = ''] of linesOf(words.join(' '), labelColumns)) {
        expect(columnsOf(first)).toBeLessThanOrEqual(42 - labelColumns);
        expect(columnsOf(second)).toBeLessThanOrEqual(42);
      }
    }),
  );
});
