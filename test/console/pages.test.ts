import { describe, expect, it } from 'vitest';
import { byDay } from '../../console/src/account/spending.ts';
import { bytesText, clockText, priceText, spanText } from '../../console/src/format-values.ts';
import { currentOf, speakersOf, wordsOf, type Line } from '../../console/src/results/transcript-lines.ts';
import { arranged, keysOf, type Row } from '../../console/src/results/rows.ts';

const LINES: readonly Line[] = [
  { text: 'Good evening, Ben.', start: 0, duration: 2, speaker: 'Speaker 1', wordStarts: [0, 0.4, 1.2] },
  { text: 'Good evening.', start: 2.5, duration: 1, speaker: 'Speaker 2' },
];
const VOICE_SEGMENTS = [
  { start: 0, duration: 2, speaker: 'Speaker 1' },
  { start: 2.5, duration: 1, speaker: 'Speaker 2' },
  { start: 4, duration: 0.2, speaker: 'Speaker 10' },
];
const TRANSCRIPT = { lines: LINES, voiceSegments: VOICE_SEGMENTS };

describe('a transcript', () => {
  it('has a start for each word, estimated where it is not known', () => {
    expect(wordsOf(LINES[0]!)).toEqual([
      { text: 'Good', start: 0 },
      { text: 'evening,', start: 0.4 },
      { text: 'Ben.', start: 1.2 },
    ]);
    const [first, second] = wordsOf(LINES[1]!);
    expect(first).toEqual({ text: 'Good', start: 2.5 });
    expect(second!.start).toBeGreaterThan(2.6);
    expect(second!.start).toBeLessThan(3.5);
  });

  it('has words that may be wrong', () => {
    const [good, evening, ben] = wordsOf({ ...LINES[0]!, wordConfidences: [0.99, 0.39, 0.4] });
    expect([good, evening, ben].map((word) => word?.isUnsure)).toEqual([undefined, true, undefined]);
  });

  it('finds the line of a moment', () => {
    expect([-1, 0, 2.4, 2.5, 99].map((seconds) => currentOf(LINES, seconds))).toEqual([-1, 0, 0, 1, 1]);
    expect(currentOf([], 1)).toBe(-1);
  });

  it('has speakers in the order of their numbers', () => {
    expect(speakersOf(TRANSCRIPT)).toEqual(['Speaker 1', 'Speaker 2', 'Speaker 10']);
  });
});

describe('the rows of a table', () => {
  const row = (title: string, publishedMs: number | null, likes: number | null): Row => {
    return { id: title, title, reference: title, thumbnail: null, publishedMs, numbers: { likes } };
  };
  const rows = [row('Été', 3, null), row('beans', 1, 20), row('Apples and beans', null, 5)];
  const titles = (order: { by: string; isDescending: boolean }, sought = ''): string[] =>
    arranged(rows, keysOf(rows), { order, sought }).map(({ title }) => title);

  it('are sorted by any column, with unknown values last', () => {
    expect(titles({ by: 'title', isDescending: false })).toEqual(['Apples and beans', 'beans', 'Été']);
    expect(titles({ by: 'title', isDescending: true })).toEqual(['Été', 'beans', 'Apples and beans']);
    expect(titles({ by: 'published', isDescending: true })).toEqual(['Été', 'beans', 'Apples and beans']);
    expect(titles({ by: 'likes', isDescending: false })).toEqual(['Apples and beans', 'beans', 'Été']);
    expect(titles({ by: 'likes', isDescending: true })).toEqual(['beans', 'Apples and beans', 'Été']);
  });

  it('are found by all words, regardless of accents and capitals', () => {
    expect(titles({ by: 'title', isDescending: false }, ' BEANS  app')).toEqual(['Apples and beans']);
    expect(titles({ by: 'title', isDescending: false }, 'ete')).toEqual(['Été']);
    expect(titles({ by: 'title', isDescending: false }, 'nothing')).toEqual([]);
  });
});

it('sums spending by day, including days without any', () => {
  const entry = (booked_at: string, amount: string) => {
    return { download_id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', type: 'audio' as const, media_id: 'x', amount, booked_at };
  };
  const entries = [
    entry('2026-11-22T23:59:59.999999Z', '0.005'),
    entry('2026-11-22T00:00:00.000000Z', '0.010'),
    entry('2026-11-20T12:00:00.000000Z', '1.001'),
    entry('2026-10-01T12:00:00.000000Z', '9.000'),
  ];
  const days = byDay(entries, 3, Date.parse('2026-11-22T01:00:00Z'));
  expect(days.map(({ day, amount, count }) => [day, amount, count])).toEqual([
    ['2026-11-20', 1001, 1],
    ['2026-11-21', 0, 0],
    ['2026-11-22', 15, 2],
  ]);
});

it('formats sizes, times and prices for people', () => {
  expect([0, 999, 1_000, 235_000, 99_950_000].map(bytesText)).toEqual(['0 B', '999 B', '1.0 kB', '235 kB', '100 MB']);
  expect([0, 59.9, 61, 3_725].map(clockText)).toEqual(['0:00', '0:59', '1:01', '1:02:05']);
  expect([1.4, 75, 7_260].map(spanText)).toEqual(['1 s', '1 min 15 s', '2 h 1 min']);
  expect(['0.000', '0.010'].map(priceText)).toEqual(['free', '0.010']);
});
