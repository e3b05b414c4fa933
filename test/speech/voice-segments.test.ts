import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VoiceSegment } from '../../contract/speech-results.ts';
import { speakerTurnsOf } from '../../speech/voice-segments.ts';

const voice = (startSeconds: number, endSeconds: number): VoiceSegment => ({
  ...{ startSeconds, endSeconds, localSpeaker: 0, embedding: [] },
});

describe('speakerTurnsOf', () => {
  it('joins segments of one speaker across a short pause and a window boundary', () => {
    expect(
      speakerTurnsOf(
        [
          [voice(0, 1), voice(1.3, 2)],
          [voice(2.1, 3), voice(5, 6)],
        ],
        [
          [0, 0],
          [0, 0],
        ],
      ),
    ).toEqual([
      { speaker: 0, startSeconds: 0, endSeconds: 3 },
      { speaker: 0, startSeconds: 5, endSeconds: 6 },
    ]);
  });

  it('drops a very short segment within that of another speaker, but no short answer after a pause', () => {
    const flicker = speakerTurnsOf([[voice(0, 2), voice(2, 2.1), voice(2.1, 4)]], [[0, 1, 0]]);
    expect(flicker).toEqual([{ speaker: 0, startSeconds: 0, endSeconds: 4 }]);
    expect(speakerTurnsOf([[voice(0, 2), voice(2.5, 2.7), voice(3.1, 4)]], [[0, 1, 0]])).toHaveLength(3);
  });

  it('keeps two speakers who talk at the same time', () => {
    expect(speakerTurnsOf([[voice(0, 4), voice(1, 2)]], [[1, 0]])).toEqual([
      { speaker: 0, startSeconds: 0, endSeconds: 4 },
      { speaker: 1, startSeconds: 1, endSeconds: 2 },
    ]);
  });

  it('sorts any voices, numbers speakers in order of appearance, and keeps all long voices', () => {
    const some = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 4 })),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(some, (voices) => {
        const segments = speakerTurnsOf(
          [voices.map(([start, length]) => voice(start / 100, (start + length) / 100))],
          [voices.map(([, , s]) => s)],
        );
        const starts = segments.map(({ startSeconds }) => startSeconds);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        const speakers = [...new Set(segments.map(({ speaker }) => speaker))];
        expect(speakers).toEqual(speakers.map((_, i) => i));
        for (const [start, length] of voices.filter(([, l]) => l >= 25)) {
          const holds = segments.some((t) => t.startSeconds <= start / 100 && t.endSeconds >= (start + length) / 100);
          expect(holds).toBe(true);
        }
        for (const [i, segment] of segments.entries()) {
          const next = segments.slice(i + 1).find(({ speaker }) => speaker === segment.speaker);
          if (next !== undefined) expect(next.startSeconds).toBeGreaterThan(segment.endSeconds);
        }
      }),
    );
  });
});
