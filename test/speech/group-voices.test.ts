import { describe, expect, it } from 'vitest';
import type { VoiceSegment } from '../../contract/speech-results.ts';
import { groupVoices } from '../../speech/voices/group-voices.ts';

const signal = new AbortController().signal;
/** A direction in the plane: the similarity of two voices that differ by 30 degrees is 0.87, and 0.64 by 50 degrees. */
const voice = (startSeconds: number, localSpeaker: number, degrees: number, seconds = 5): VoiceSegment => ({
  ...{ startSeconds, endSeconds: startSeconds + seconds, localSpeaker },
  embedding: [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)],
});
const unidentified = (startSeconds: number, localSpeaker: number): VoiceSegment => ({
  ...{ startSeconds, endSeconds: startSeconds + 0.4, localSpeaker, embedding: [] },
});
const group = (windows: VoiceSegment[][], limits: object = {}): Promise<number[][]> =>
  groupVoices(windows, { signal, ...limits });

/** Windows with many voices of six speakers, each of whom has an axis. The noise around it is deterministic. */
const manyVoices = (windows: number, perWindow: number): { windows: VoiceSegment[][]; speakers: number[][] } => {
  const speakers = Array.from({ length: windows }, (_, w) =>
    Array.from({ length: perWindow }, (_, s) => (s * 7 + w) % 6),
  );
  return {
    speakers,
    windows: speakers.map((row, w) =>
      row.map((speaker, s) => ({
        ...voice(w * 300 + s, 0, 0, 1),
        embedding: Array.from({ length: 192 }, (_, i) => (i === speaker ? 1 : ((w * 31 + s * 17 + i) % 11) / 400)),
      })),
    ),
  };
};

describe('groupVoices', () => {
  it('groups similar voices of different windows, and numbers them in order of appearance', async () => {
    const windows = [
      [voice(0, 7, 100), voice(5, 3, 0)],
      [voice(10, 0, 5), voice(15, 1, 95)],
      [],
      [voice(20, 0, 200), voice(25, 2, 98)],
    ];
    expect(await group(windows)).toEqual([[0, 1], [1, 0], [], [2, 0]]);
    expect(await group(windows, { maxSpeakers: 2 })).toEqual([[0, 0], [0, 0], [], [1, 0]]);
    expect(await group(windows, { maxSpeakers: 1 })).toEqual([[0, 0], [0, 0], [], [0, 0]]);
  });

  it('separates voices of one local speaker', async () => {
    expect(await group([[voice(0, 0, 0), voice(5, 0, 30)]])).toEqual([[0, 0]]);
    expect(await group([[voice(0, 0, 0), voice(5, 0, 50)]])).toEqual([[0, 1]]);
  });

  it('compares means of groups, in which a voice counts by its duration', async () => {
    // The last voice is near enough to the second one, and to the mean of both if they count the same.
    expect(await group([[voice(0, 0, 0, 5), voice(20, 0, 12, 5)], [voice(30, 0, 50)]])).toEqual([[0, 0], [0]]);
    expect(await group([[voice(0, 0, 0, 20), voice(20, 0, 12, 5)], [voice(30, 0, 50)]])).toEqual([[0, 0], [1]]);
  });

  it('moves a voice from the group that it was merged with to a nearer one', async () => {
    expect(await group([[voice(0, 0, 8), voice(10, 0, 40, 1), voice(20, 0, 65, 2), voice(30, 0, 95, 20)]])).toEqual([
      [0, 0, 1, 1],
    ]);
  });

  it('finds a speaker of short lines that differ more than those of one line', async () => {
    const lines = (degrees: number): VoiceSegment[] => [voice(0, 0, 0, 2), voice(5, 0, degrees, 2)];
    expect(await group([[...lines(55), voice(20, 1, 180, 10)]])).toEqual([[0, 0, 1]]);
    // Lines that differ as much as those of two speakers are not merged. Neither is long enough for a speaker.
    expect(await group([[...lines(70), voice(20, 1, 180, 10)]])).toEqual([[0, 0, 0]]);
  });

  it('gives voices that are too short for a speaker to the nearest one', async () => {
    const windows = [[voice(0, 0, 0), voice(5, 1, 90), voice(10, 2, 50, 1)], [voice(20, 0, 180, 1)]];
    expect(await group(windows)).toEqual([[0, 1, 1], [1]]);
    expect(await group([[voice(0, 0, 0, 1), voice(5, 1, 90, 1)]])).toEqual([[0, 1]]);
    // Many short voices of a long recording are no speaker either.
    const noises = Array.from({ length: 5 }, (_, i) => [voice(300 * i, 0, 0, 60), voice(300 * i + 60, 1, 90, 2)]);
    expect(new Set((await group(noises)).flat()).size).toBe(1);
  });

  it('gives a voice without an embedding to its local speaker, or to one who does not talk at the same time', async () => {
    const windows = [[voice(0, 0, 0), unidentified(1, 2), voice(6, 1, 90), unidentified(20, 0)], [unidentified(30, 0)]];
    expect(await group(windows)).toEqual([[0, 1, 1, 0], [0]]);
  });

  it('finds as many speakers as requested, down to single voices', async () => {
    const windows = [[voice(0, 0, 0), voice(10, 0, 25), voice(20, 0, 3)], [voice(30, 0, 10)]];
    expect(await group(windows)).toEqual([[0, 0, 0], [0]]);
    expect(await group(windows, { minSpeakers: 2 })).toEqual([[0, 1, 0], [0]]);
    expect(await group(windows, { minSpeakers: 3, maxSpeakers: 3 })).toEqual([[0, 1, 0], [2]]);
    expect(await group(windows, { minSpeakers: 9 })).toEqual([[0, 1, 2], [3]]);
    const alike = [[voice(0, 0, 0, 1), voice(2, 0, 0, 1), voice(4, 0, 0, 1)]];
    expect(new Set((await group(alike, { minSpeakers: 3 })).flat()).size).toBe(3);
  });

  it('groups the voices of hours, and stops when it is cancelled', async () => {
    const { windows, speakers } = manyVoices(48, 100);
    const found = await group(windows);
    const numbers = new Map<number, number>();
    for (const speaker of speakers.flat()) numbers.set(speaker, numbers.get(speaker) ?? numbers.size);
    expect(found).toEqual(speakers.map((row) => row.map((speaker) => numbers.get(speaker))));
    const abort = new AbortController();
    const grouping = group(windows, { signal: abort.signal });
    abort.abort(new Error('stopped by the test'));
    await expect(grouping).rejects.toThrow('stopped by the test');
  });
});
