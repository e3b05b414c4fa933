import { describe, expect, it } from 'vitest';
import type { Span, VoiceSegment, Word } from '../../contract/speech-results.ts';
import { transcriptionSchema, type TranscriptionResponse } from '../../speech/openai/openai-response.ts';
import { diarizedVoices } from '../../speech/openai/diarized-voices.ts';
import { withPunctuation } from '../../speech/openai/punctuation.ts';
import { wordsOf } from '../../speech/openai/openai-words.ts';
import { LONGEST_TASK_MS, watchEventLoop } from '../helpers/event-loop.ts';
import { span } from '../helpers/openai-bench.ts';

const inSeconds = (texts: string[]): Word[] => texts.map((text, i) => ({ text, ...span(i, i + 1) }));
const texts = (words: readonly Word[]): string[] => words.map(({ text }) => text);

describe('an answer with fields of other types', () => {
  const part = { ...span(100, 130), speech: [span(100, 130)] };
  const segments = [{ text: 'a b', start: '1.5', end: 3.5, speaker: 0 }];
  it.each([
    [
      'times as texts',
      {
        text: 'a b',
        words: [
          { word: 'a', start: '1.5', end: '2.5' },
          { word: 'b', start: 2.5, end: '3.5' },
        ],
      },
    ],
    [
      'a time that is no number',
      {
        text: 'a b',
        words: [
          { word: 'a', start: 1.5, end: 'NaN' },
          { word: 'b', start: 2.5, end: 3.5 },
        ],
      },
    ],
    ['words without a text', { text: 'a b', words: [{ word: null, start: 1, end: 2 }, null], segments }],
    ['words of other names', { text: 'a b', words: [{ text: 'a', start: 1 }], segments }],
    ['speakers as numbers', { text: 'a b', segments }],
  ])('keeps what is known: %s', (_title, answer) => {
    expect(wordsOf(transcriptionSchema.parse(answer), part)).toEqual([
      { text: 'a', ...span(101.5, 102.5) },
      { text: 'b', ...span(102.5, 103.5) },
    ]);
  });
});

describe('withPunctuation', () => {
  it.each([
    [['He', 'said', 'Stop', 'now'], ' He said: "Stop, now!"', ['He', 'said:', '"Stop,', 'now!"']],
    [['a', 'twenty', 'five', 'b'], 'A twenty-five (b).', ['A', 'twenty-five', '(b).']],
    [['don', 't', 'pay', '3', '50'], "Don't pay $3.50", ["Don't", 'pay', '$3.50']],
    [['costs', '%', 'five'], 'costs five %', ['costs', 'five %']],
    [['你好', '世界', '再见'], '你好，世界。再见', ['你好，', '世界。', '再见']],
    [['один', 'два'], 'Один – два…', ['Один –', 'два…']],
  ])('takes %j from the text', (words, text, expected) => {
    expect(texts(withPunctuation(inSeconds(words), text))).toEqual(expected);
  });

  it('keeps times, including those of joined words', () => {
    expect(withPunctuation(inSeconds(['a', 'twenty', 'five']), 'A twenty-five.')).toEqual([
      { text: 'A', ...span(0, 1) },
      { text: 'twenty-five.', ...span(1, 3) },
    ]);
  });

  it.each([
    [['one', 'two'], 'One three.'],
    [['one'], 'One two.'],
    [['one', 'two'], 'One.'],
    [['one'], ''],
  ])('does not change %j if the text is %j', (words, text) => {
    expect(withPunctuation(inSeconds(words), text)).toEqual(inSeconds(words));
  });
});

it('processes a very long response without blocking the event loop', () => {
  const part = { ...span(0, 300), speech: Array.from({ length: 2_000 }, (_, i) => span(i / 10, i / 10 + 0.05)) };
  const many = inSeconds(Array.from({ length: 20_000 }, () => 'a'));
  const marks = '!'.repeat(90_000);
  const longestOf = (work: () => unknown): number => {
    const stop = watchEventLoop();
    work();
    return stop();
  };
  const gap = `One${'!'.repeat(40_000)} two`;
  expect(longestOf(() => withPunctuation(inSeconds(['one', 'two']), gap))).toBeLessThan(LONGEST_TASK_MS);
  expect(longestOf(() => withPunctuation(many, `a ${marks}`))).toBeLessThan(LONGEST_TASK_MS);
  expect(longestOf(() => wordsOf({ text: 'a '.repeat(50_000) }, part))).toBeLessThan(LONGEST_TASK_MS);
});

describe('the words of a response', () => {
  const part = { ...span(100, 110), speech: [span(100, 104), span(106, 110)] };
  const words = (answer: TranscriptionResponse): readonly Word[] => wordsOf(answer, part);

  it('have the times of segments if words have none', () => {
    const nested = [{ word: ' one', start: -0.01, end: -0.01 }];
    const answer = { text: 'one two', segments: [{ text: ' one two', start: 3, end: 7, words: nested }] };
    expect(words(answer)).toEqual([
      { text: 'one', ...span(103, 104) },
      { text: 'two', ...span(106, 107) },
    ]);
  });

  it('have times estimated from the speech if segments have none either', () => {
    expect(words({ segments: [{ text: 'one' }, { text: 'two', start: null, end: null }] })).toEqual([
      { text: 'one', ...span(100, 104) },
      { text: 'two', ...span(106, 110) },
    ]);
  });

  it.each([
    ['without a start and an end', undefined, undefined, [span(100, 101), span(101, 102), span(104, 105)]],
    ['without an end', 3, null, [span(100, 101), span(103, 104), span(104, 105)]],
    ['without a start', -0.01, 3.5, [span(100, 101), span(101, 103.5), span(104, 105)]],
    ['that ends before it starts', 3, 2, [span(100, 101), span(103, 104), span(104, 105)]],
  ])('have the known times beside one word %s', (_what, start, end, spans) => {
    const list = [
      { word: 'one', start: 0, end: 1 },
      { word: 'two', start, end },
      { word: 'three', start: 4, end: 5 },
    ];
    expect(words({ text: 'one two three', words: list })).toEqual(
      ['one', 'two', 'three'].map((text, i) => ({ text, ...spans[i] })),
    );
  });

  it('have the known times between words without times at the begin and the end', () => {
    const list = [
      { word: 'one' },
      { word: 'two' },
      { word: 'three', start: 7 },
      ...[{ word: 'four' }, { word: 'five', start: 9 }],
    ];
    expect(words({ text: 'one two three four five', words: list })).toEqual([
      { text: 'one', ...span(105, 106) },
      { text: 'two', ...span(106, 107) },
      { text: 'three', startSeconds: 107, endSeconds: expect.closeTo(108.091, 3) as number },
      { text: 'four', startSeconds: expect.closeTo(108.091, 3) as number, endSeconds: 109 },
      { text: 'five', ...span(109, 110) },
    ]);
  });

  it('keep the known times of segments beside one without an end and one without times', () => {
    const answer = {
      segments: [{ text: 'one two', start: 1, end: null }, { text: 'three' }, { text: 'four', start: 8, end: 9 }],
    };
    const [one, , three, four] = words(answer);
    expect([one!.startSeconds, four]).toEqual([101, { text: 'four', ...span(108, 109) }]);
    expect(three!.endSeconds).toBeLessThanOrEqual(108);
  });

  it('do not exceed the uploaded part', () => {
    const list = [
      { word: 'one', start: 9, end: 30 },
      { word: 'two', start: 29, end: 30 },
    ];
    expect(words({ text: 'One two.', words: list })).toEqual([
      { text: 'One', ...span(109, 110) },
      { text: 'two.', ...span(109.98, 110) },
    ]);
  });

  it('contain no spaces and have a duration', () => {
    const list = [
      { word: 'one', start: 1, end: 2 },
      { word: 'two', start: 2, end: 2 },
    ];
    expect(words({ text: 'One – two.', words: list })).toEqual([
      { text: 'One', ...span(101, expect.closeTo(101.667, 3) as number) },
      { text: '–', ...span(expect.closeTo(101.667, 3) as number, 102) },
      { text: 'two.', ...span(102, 102.02) },
    ]);
  });

  it('are joined from tokens, even across segments', () => {
    const token = (word: string, i: number): object => ({ word, start: i, end: i + 1 });
    const answer = {
      text: ' An apple, sir',
      segments: [
        { text: ' An app', words: [' An', ' app'].map(token) },
        { text: 'le, sir', words: ['le', ',', ' sir'].map((word, i) => token(word, i + 2)) },
      ],
    } as TranscriptionResponse;
    expect(words(answer)).toEqual([
      { text: 'An', ...span(100, 101) },
      { text: 'apple,', ...span(101, 104) },
      { text: 'sir', ...span(104, 105) },
    ]);
  });

  it('are empty for a response without words', () => {
    expect(words({ text: '', segments: [] })).toEqual([]);
    expect(words({ text: ' ', words: [], segments: null })).toEqual([]);
  });
});

describe('voices of a server that tells speakers apart', () => {
  const window = { ...span(100, 160), speech: [span(100, 160)] };
  const diarized = (...segments: [number, number, string | null][]): TranscriptionResponse => ({
    segments: segments.map(([start, end, speaker]) => ({ start, end, speaker, text: 'x' })),
  });
  const heard = (...stretches: [number, number][]): VoiceSegment[] =>
    stretches.map(([start, end], i) => ({ ...span(100 + start, 100 + end), localSpeaker: 0, embedding: [i] }));
  const brief = (voices: readonly VoiceSegment[]): [number, number, number][] =>
    voices.map(({ startSeconds, localSpeaker, embedding }) => [startSeconds - 100, localSpeaker, embedding[0]!]);

  it('have the mean embedding of the voice segments in which their speaker talks most', () => {
    const answer = diarized([0, 10, 'C'], [10, 14, 'A'], [14, 30, 'C']);
    const voices = [...heard([0, 9.5], [9.5, 15], [15, 20], [20, 29]), { ...heard([29, 30])[0]!, embedding: [] }];
    expect(brief(diarizedVoices(answer, window, voices))).toEqual([
      [0, 0, 5 / 3],
      [10, 1, 1],
      [14, 0, 5 / 3],
    ]);
  });

  it('do not have that of a voice segment in which another speaker talks longer', () => {
    const answer = diarized([0, 10, 'A'], [10, 12, 'B'], [20, 25, 'B']);
    expect(brief(diarizedVoices(answer, window, heard([0, 12], [20, 25])))).toEqual([
      [0, 0, 0],
      [10, 1, 1],
      [20, 1, 1],
    ]);
  });

  it('have that of their speaker if none overlaps', () => {
    const answer = diarized([0, 3, 'A'], [10, 20, 'A'], [30, 31, 'A']);
    expect(brief(diarizedVoices(answer, window, heard([0, 3], [10, 20])))[2]).toEqual([30, 0, 0.5]);
  });

  it('have that of a shared voice segment if there is no other', () => {
    expect(brief(diarizedVoices(diarized([0, 10, 'A'], [10, 12, 'B']), window, heard([0, 12])))).toEqual([
      [0, 0, 0],
      [10, 1, 0],
    ]);
  });

  it('are omitted without an embedding or a speaker', () => {
    const answer = diarized([0, 10, 'A'], [20, 22, 'B'], [22, 24, null], [24, 24, 'A']);
    expect(brief(diarizedVoices(answer, window, heard([0, 10])))).toEqual([[0, 0, 0]]);
    expect(diarizedVoices({ text: '' }, window, heard([0, 10]))).toEqual([]);
  });

  it('are numbered in order of appearance for any order of the response', () => {
    const spans: Span[] = diarizedVoices(diarized([5, 6, 'A'], [0, 1, 'B']), window, heard([0, 10]));
    expect(spans).toMatchObject([
      { localSpeaker: 0, startSeconds: 100 },
      { localSpeaker: 1, startSeconds: 105 },
    ]);
  });
});
