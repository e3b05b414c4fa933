import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutWindows } from '../../speech/windows.ts';

const region = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });

describe('windows', () => {
  it('end at the longest pause of their last fifth', () => {
    const speech = [region(0, 50), region(51, 84), region(87, 95), region(95.5, 99), region(99.5, 120)];
    const windows = cutWindows({ speech }, 100);
    expect(windows.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [0, 84],
      [87, 120],
    ]);
  });

  it('of no speech are none', () => {
    expect(cutWindows({ speech: [] })).toEqual([]);
  });

  it('of any speech hold each region once, in order, and are no longer than they may be', () => {
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

  it('of ten hours are cut at once', () => {
    const speech = Array.from({ length: 18_000 }, (_, i) => region(i * 2, i * 2 + 1.5));
    const windows = cutWindows({ speech });
    expect(windows.length).toBeGreaterThanOrEqual(120);
    expect(windows.length).toBeLessThanOrEqual(150);
  });
});
