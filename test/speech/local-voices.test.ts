import { describe, expect, it } from 'vitest';
import {
  chunkStarts,
  confirmVoices,
  cutPieces,
  joinChunks,
  partsAlone,
  type LocalVoice,
} from '../../speech/voices/local-voices.ts';
import { scaleEmbeddings } from '../../speech/voices/scale-embeddings.ts';

const voice = (startSeconds: number, endSeconds: number, localSpeaker = 0): LocalVoice => ({
  ...{ startSeconds, endSeconds, localSpeaker },
});
const span = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });

describe('chunkStarts', () => {
  it.each([
    [0.5, [0]],
    [10, [0]],
    [12, [0, 2]],
    [20, [0, 5, 10]],
    [22.5, [0, 5, 10, 12.5]],
  ])('covers %d s', (seconds, starts) => {
    expect(chunkStarts(seconds)).toEqual(starts);
  });
});

describe('joinChunks', () => {
  it('gives one number to the speakers of overlapping chunks who talk at the same time', () => {
    const chunks = [
      { startSeconds: 0, voices: [voice(1, 6, 0), voice(7, 10, 1)] },
      { startSeconds: 5, voices: [voice(5, 6, 2), voice(7, 12, 0), voice(13, 15, 1)] },
    ];
    expect(joinChunks(chunks)).toEqual([voice(1, 6, 0), voice(7, 12, 1), voice(13, 15, 2)]);
  });

  it('takes from each chunk what is nearest to its middle', () => {
    const chunks = [
      { startSeconds: 0, voices: [voice(1, 9, 0)] },
      { startSeconds: 5, voices: [voice(5, 8, 0), voice(14, 15, 0)] },
    ];
    expect(joinChunks(chunks)).toEqual([voice(1, 8, 0), voice(14, 15, 0)]);
  });

  it('keeps overlaps, joins over short pauses, and removes clicks', () => {
    const voices = [voice(1, 3, 0), voice(2, 4, 1), voice(3.2, 5, 0), voice(7, 7.1, 0)];
    expect(joinChunks([{ startSeconds: 0, voices }])).toEqual([voice(1, 5, 0), voice(2, 4, 1)]);
  });
});

it('confirmVoices adds a voice that only the other detector has, and removes short ones that it lacks', () => {
  const voices = [voice(1, 2, 0), voice(4, 5, 1), voice(6, 9, 1)];
  const speech = [span(1.9, 3), span(10, 10.5), span(12, 13)];
  expect(confirmVoices(voices, speech)).toEqual([voice(1, 2, 0), voice(6, 9, 1), voice(10, 10.5, 2), voice(12, 13, 3)]);
  expect(confirmVoices([], speech.slice(1, 2))).toEqual([voice(10, 10.5, 0)]);
});

describe('cutPieces', () => {
  it('cuts pieces of about half a second with a context of 1.5 seconds within the voice', () => {
    expect(cutPieces([voice(10, 12, 4), voice(11, 11.4, 2)], [])).toEqual([
      { ...voice(10, 10.5, 4), context: span(10, 11.5) },
      { ...voice(10.5, 11, 4), context: span(10, 11.5) },
      { ...voice(11, 11.4, 2), context: span(11, 11.4) },
      { ...voice(11, 11.5, 4), context: span(10.5, 12) },
      { ...voice(11.5, 12, 4), context: span(10.5, 12) },
    ]);
  });

  it('cuts a voice in the middle of each pause, and separates the contexts', () => {
    expect(cutPieces([voice(10, 11.5)], [span(9, 10.4), span(10.6, 11), span(12, 13)])).toEqual([
      { ...voice(10, 10.5), context: span(10, 10.5) },
      { ...voice(10.5, 11), context: span(10.5, 11.5) },
      { ...voice(11, 11.5), context: span(10.5, 11.5) },
    ]);
  });
});

it('partsAlone excludes what other voices overlap', () => {
  const voices = [voice(0, 10, 0), voice(2, 3, 1), voice(9, 12, 2)];
  expect(partsAlone(span(1, 10), 0, voices)).toEqual([span(1, 2), span(3, 9)]);
  expect(partsAlone(span(2, 3), 1, voices)).toEqual([]);
});

describe('scaleEmbeddings', () => {
  const unit = (degrees: number): number[] => [
    Math.cos((degrees * Math.PI) / 180),
    Math.sin((degrees * Math.PI) / 180),
  ];
  const product = (a: readonly number[] = [], b: readonly number[] = []): number =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

  it('makes the product of pieces of one voice 1, however much they differ', () => {
    for (const degrees of [0, 20, 50]) {
      const voices = Array.from({ length: 5 }, (_, i) => voice(2 * i, 2 * i + 1.5));
      const pieces = cutPieces(voices, []);
      const embeddings = pieces.map((_, i) => unit((Math.floor(i / 3) % 2) * degrees));
      const scaled = scaleEmbeddings(pieces, embeddings);
      expect(product(scaled[0], scaled[3])).toBeCloseTo(1, 6);
    }
  });

  it('leaves out pieces without an embedding, and uses a usual similarity for a few pieces', () => {
    const pieces = cutPieces([voice(0, 0.5), voice(5, 5.5, 1)], []);
    const [first, second] = scaleEmbeddings(pieces, [unit(0), undefined]);
    expect(product(first, first)).toBeCloseTo(1 / 0.33, 6);
    expect(second).toBeUndefined();
  });
});
