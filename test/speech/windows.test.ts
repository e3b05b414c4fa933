import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coverWindows, cutWindows, unitedSpeech } from '../../speech/windows.ts';

const region = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });

describe('windows', () => {
  it('end at the longest pause in their last fifth', () => {
    const speech = [region(0, 50), region(51, 84), region(87, 95), region(95.5, 99), region(99.5, 120)];
    const windows = cutWindows({ speech }, 100);
    expect(windows.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [0, 84],
      [87, 120],
    ]);
  });

  it('do not exist without speech', () => {
    expect(cutWindows({ speech: [] }, 300)).toEqual([]);
  });

  it('contain each region of any speech once and in order, within the maximum length', () => {
    const lengths = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 200 })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(lengths, (parts) => {
        let at = 0;
        const speech = parts.map(([pause, length]) => {
          at += pause + length;
          return region((at - length) / 10, at / 10);
        });
        const windows = cutWindows({ speech }, 60);
        expect(windows.flatMap((window) => window.speech)).toEqual(speech);
        for (const window of windows) {
          expect(window.startSeconds).toBe(window.speech[0]?.startSeconds);
          expect(window.endSeconds).toBe(window.speech.at(-1)?.endSeconds);
          expect(window.endSeconds - window.startSeconds).toBeLessThanOrEqual(60);
        }
      }),
    );
  });

  it('are computed for ten hours of audio', () => {
    const speech = Array.from({ length: 18_000 }, (_, i) => region(i * 2, i * 2 + 1.5));
    const windows = cutWindows({ speech }, 300);
    expect(windows.length).toBeGreaterThanOrEqual(120);
    expect(windows.length).toBeLessThanOrEqual(150);
  });
});

describe('windows for an engine that detects speech itself', () => {
  it('end in the middle of the longest pause in their last fifth', () => {
    const speech = [region(2, 50), region(51, 84), region(88, 95), region(95.5, 120)];
    expect(coverWindows({ durationSeconds: 130, speech }, 100)).toEqual([
      { startSeconds: 0, endSeconds: 86, speech: speech.slice(0, 2) },
      { startSeconds: 86, endSeconds: 130, speech: speech.slice(2) },
    ]);
  });

  it('cover audio without detected speech, and speech without a pause', () => {
    const spans = (speech: readonly { startSeconds: number; endSeconds: number }[]) =>
      coverWindows({ durationSeconds: 25, speech }, 10).map(({ startSeconds, endSeconds }) => [
        startSeconds,
        endSeconds,
      ]);
    expect(spans([])).toEqual([
      [0, 9],
      [9, 18],
      [18, 25],
    ]);
    expect(spans([region(0, 25)])).toEqual([
      [0, 10],
      [10, 20],
      [20, 25],
    ]);
    expect(coverWindows({ durationSeconds: 0, speech: [] }, 300)).toEqual([]);
  });

  it('cover any audio from beginning to end and contain all its speech', () => {
    const lengths = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 900 })), {
      maxLength: 50,
    });
    fc.assert(
      fc.property(lengths, (parts) => {
        let at = 0;
        const speech = parts.map(([pause, length]) => {
          at += pause + length;
          return region((at - length) / 10, at / 10);
        });
        const durationSeconds = at / 10 + 30;
        const windows = coverWindows({ durationSeconds, speech }, 60);
        expect([windows[0]?.startSeconds, windows.at(-1)?.endSeconds]).toEqual([0, durationSeconds]);
        for (const [index, { startSeconds, endSeconds }] of windows.entries()) {
          expect(endSeconds - startSeconds).toBeLessThanOrEqual(60.001);
          if (index > 0) expect(startSeconds).toBe(windows[index - 1]?.endSeconds);
        }
        const seconds = (spans: readonly { startSeconds: number; endSeconds: number }[]): number =>
          spans.reduce((sum, span) => sum + span.endSeconds - span.startSeconds, 0);
        expect(seconds(windows.flatMap((window) => window.speech))).toBeCloseTo(seconds(speech), 5);
      }),
    );
  });
});

it('returns the union of two lists of intervals in order and without overlaps', () => {
  const known = [region(1, 2), region(5, 8)];
  expect(unitedSpeech(known, [region(7, 10), region(0, 6), region(9, 11)])).toEqual([
    region(0, 1),
    region(1, 2),
    region(2, 5),
    region(5, 8),
    region(8, 10),
    region(10, 11),
  ]);
  expect(unitedSpeech(known, [region(1.98, 2.02)])).toEqual(known);
  expect(unitedSpeech([], [])).toEqual([]);
});
