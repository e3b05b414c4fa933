import { describe, expect, it } from 'vitest';
import type { VoiceSegment } from '../../contract/speech-results.ts';
import { clusterVoices, type ClusterOptions } from '../../speech/sherpa/cluster.ts';

const signal = new AbortController().signal;
/** A direction in the plane. An angle of 60 degrees is a cosine distance of 0.5. */
const voice = (startSeconds: number, localSpeaker: number, degrees: number, seconds = 1): VoiceSegment => ({
  ...{ startSeconds, endSeconds: startSeconds + seconds, localSpeaker },
  embedding: [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)],
});
const cluster = (windows: VoiceSegment[][], options: Partial<ClusterOptions> = {}): Promise<number[][]> =>
  clusterVoices(windows, { threshold: 0.5, signal, ...options });

describe('clusterVoices', () => {
  it('merges similar voices of different windows, and numbers them in order of appearance', async () => {
    const windows = [
      [voice(0, 7, 100), voice(1, 3, 0)],
      [voice(10, 0, 5), voice(11, 1, 95)],
      [],
      [voice(20, 0, 200), voice(21, 2, 98)],
    ];
    expect(await cluster(windows)).toEqual([[0, 1], [1, 0], [], [2, 0]]);
    expect(await cluster(windows, { maxSpeakers: 2 })).toEqual([[0, 0], [0, 0], [], [1, 0]]);
    expect(await cluster(windows, { threshold: 0.001 })).toEqual([[0, 1], [2, 3], [], [4, 0]]);
  });

  it('merges two similar voices of one window unless they talk at the same time', async () => {
    expect(await cluster([[voice(0, 0, 0), voice(1, 1, 10)]])).toEqual([[0, 0]]);
    const together = [[voice(0, 0, 0), voice(0.2, 1, 10)], [voice(5, 0, 9)]];
    expect(await cluster(together)).toEqual([[0, 1], [1]]);
    expect(await cluster(together, { maxSpeakers: 1 })).toEqual([[0, 0], [0]]);
  });

  it('weights a voice by its duration', async () => {
    // The short segment has another direction, but little weight.
    const windows = [[voice(0, 0, 0, 20), voice(20, 0, 90, 0.3)], [voice(30, 0, 55)]];
    expect(await cluster(windows)).toEqual([[0, 0], [0]]);
  });

  it('splits the most different voices until there are minSpeakers, down to single segments', async () => {
    const windows = [[voice(0, 0, 0), voice(2, 0, 40), voice(4, 0, 3)], [voice(6, 0, 10)]];
    expect(await cluster(windows)).toEqual([[0, 0, 0], [0]]);
    expect(await cluster(windows, { minSpeakers: 3 })).toEqual([[0, 1, 0], [2]]);
    expect(await cluster(windows, { minSpeakers: 9 })).toEqual([[0, 1, 2], [3]]);
    const alike = [[voice(0, 0, 0), voice(2, 0, 0), voice(4, 0, 0)]];
    expect(new Set((await cluster(alike, { minSpeakers: 3 })).flat()).size).toBe(3);
  });

  it('clusters ten hours of many voices, and stops when it is cancelled', async () => {
    const windows = Array.from({ length: 120 }, (_, w) =>
      Array.from({ length: 60 }, (_, s) => {
        const speaker = (s * 7 + w) % 6;
        // Each speaker has an axis, and the noise around it is deterministic.
        const embedding = Array.from({ length: 192 }, (_, i) =>
          i === speaker ? 1 : ((w * 31 + s * 17 + i) % 11) / 400,
        );
        return { ...voice(w * 300 + s * 5, speaker, 0), embedding };
      }),
    );
    const speakers = await cluster(windows);
    expect(new Set(speakers.flat()).size).toBe(6);
    for (const [w, row] of speakers.entries()) {
      expect(row).toEqual(row.map((_, s) => speakers[0]!.find((_, first) => (first * 7) % 6 === (s * 7 + w) % 6)));
    }
    const abort = new AbortController();
    const linking = cluster(windows, { signal: abort.signal });
    abort.abort(new Error('stopped by the test'));
    await expect(linking).rejects.toThrow('stopped by the test');
  });
});
