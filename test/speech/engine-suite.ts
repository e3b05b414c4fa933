import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WindowResult } from '../../contract/speech-results.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { until } from '../helpers/until.ts';
import { writeTones } from './tones.ts';

const CANCEL_WITHIN_MS = 5_000;
/** On a busy machine an engine takes several times as long as the audio. */
const SLOW = { timeout: 180_000 };

export interface EngineBench {
  readonly engine: () => SpeechEngine;
  /** At least two windows of one recording with two voices. */
  readonly windows: () => Promise<readonly AudioWindow[]>;
  /** Matches the words of one window. */
  readonly says: RegExp;
  /** The language that the engine returns. */
  readonly language: string | undefined;
  /** A window whose analysis takes long enough to be cancelled. */
  readonly longWindow: () => Promise<AudioWindow>;
  /** A language tag that the engine does not support. */
  readonly unknownLanguage: string;
}

interface Heard extends WindowResult {
  readonly shares: readonly number[];
}

/**
 * Tests an engine against the interface of speech/speech-engine.ts.
 *
 * @returns the result of a window for further tests, because some engines take as long as the audio
 */
export function describeEngine(bench: EngineBench): (index: number) => Promise<WindowResult> {
  const { engine, windows, says, language, longWindow, unknownLanguage } = bench;
  const signal = new AbortController().signal;
  const listen = async (window: AudioWindow): Promise<Heard> => {
    const shares: number[] = [];
    const result = await engine().analyse(window, { signal, onProgress: (share) => shares.push(share) });
    return { ...result, shares };
  };
  const analyse = async (window: AudioWindow): Promise<WindowResult> => {
    const { shares: _shares, ...result } = await listen(window);
    return result;
  };
  const heard = new Map<number, Promise<Heard>>();
  /** Returns the first result of a window. */
  const heardIn = async (index: number): Promise<Heard> => {
    const window = (await windows())[index]!;
    const result = heard.get(index) ?? listen(window);
    heard.set(index, result);
    return result;
  };
  const analysed = async (index: number): Promise<WindowResult> => {
    const { shares: _shares, ...result } = await heardIn(index);
    return result;
  };
  const voicesOf = async (): Promise<WindowResult['voices'][]> => {
    const all: WindowResult['voices'][] = [];
    for (const index of (await windows()).keys()) all.push((await analysed(index)).voices);
    return all;
  };

  it(
    'returns words and voices of each window in order and within the window, and reports the progress',
    SLOW,
    async () => {
      const all = await windows();
      expect(all.length).toBeGreaterThan(1);
      const text: string[] = [];
      for (const [index, window] of all.entries()) {
        const { words, voices, shares, ...result } = await heardIn(index);
        expect(result.language).toBe(language);
        text.push(...words.map((word) => word.text));
        for (const spans of [words, voices]) {
          expect(spans.length).toBeGreaterThan(0);
          expect(spans.map(({ startSeconds }) => startSeconds)).toEqual(
            spans.map(({ startSeconds }) => startSeconds).toSorted((a, b) => a - b),
          );
          for (const { startSeconds, endSeconds } of spans) {
            expect(startSeconds).toBeGreaterThanOrEqual(window.startSeconds - 0.2);
            expect(endSeconds).toBeLessThanOrEqual(window.endSeconds + 0.2);
            expect(endSeconds).toBeGreaterThan(startSeconds);
          }
        }
        // Times outside the window would be moved to its edge.
        expect(new Set(words.map(({ startSeconds }) => startSeconds)).size).toBeGreaterThan(words.length / 2);
        for (const { text } of words) expect(text).toMatch(/^\S+$/);
        for (const { embedding, localSpeaker } of voices) {
          expect(embedding.every((value) => Number.isFinite(value))).toBe(true);
          expect(localSpeaker).toBeGreaterThanOrEqual(0);
        }
        expect(shares).toEqual(shares.toSorted((a, b) => a - b));
        expect(shares.length).toBeGreaterThan(1);
        expect(shares.at(-1)).toBe(1);
      }
      expect(text.join(' ')).toMatch(says);
    },
  );

  it('returns the same result each time', SLOW, async () => {
    const [window] = await windows();
    const [first, second] = await Promise.all([analysed(0), analyse(window!)]);
    expect(second).toEqual(first);
    const voices = [first.voices, second.voices];
    expect(await engine().cluster(voices, { signal })).toEqual(await engine().cluster(voices, { signal }));
  });

  it(
    'recognises a voice in another window, numbers speakers in order of appearance, and respects the limits',
    SLOW,
    async () => {
      const voices = await voicesOf();
      expect(voices.length).toBeGreaterThan(1);
      const cluster = (limits: object) => engine().cluster(voices, { ...limits, signal });
      const count = async (limits: object): Promise<number> => new Set((await cluster(limits)).flat()).size;
      const [speakers, three] = [await cluster({}), await cluster({ minSpeakers: 3 })];
      expect(speakers.map((row) => row.length)).toEqual(voices.map((row) => row.length));
      for (const [found, expected] of [
        [speakers, 2],
        [three, 3],
      ] as const) {
        const firsts = [...new Set(found.flat())];
        expect(firsts).toEqual(Array.from({ length: expected }, (_, i) => i));
      }
      expect(await count({ maxSpeakers: 1 })).toBe(1);
      expect(await count({ minSpeakers: 2, maxSpeakers: 2 })).toBe(2);
      const segments = voices.flat().length;
      expect(await count({ minSpeakers: segments + 3 })).toBeLessThanOrEqual(segments);
    },
  );

  it('returns nothing for silence', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tapedeck-quiet-'));
    const wavPath = join(folder, 'quiet.wav');
    await writeTones(wavPath, [{ seconds: 12 }]);
    const quiet = await analyse({ wavPath, startSeconds: 1, endSeconds: 11, speech: [] });
    await rm(folder, { recursive: true });
    expect([quiet.words, quiet.voices]).toEqual([[], []]);
    expect(await engine().cluster([[], []], { signal })).toEqual([[], []]);
  });

  it('rejects an unsupported language', async () => {
    const [window] = await windows();
    const answer = engine().analyse(window!, { language: unknownLanguage, signal, onProgress: () => undefined });
    await expect(answer).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('ends within seconds of a cancellation, and leaves no process', async () => {
    const window = await longWindow();
    const abort = new AbortController();
    const analysis = engine().analyse(window, { signal: abort.signal, onProgress: () => undefined });
    analysis.catch(() => undefined);
    await until(() => isHeardBy(window.wavPath), { what: 'the process' });
    const cancelledAt = performance.now();
    abort.abort(new Error('cancelled by the test'));
    await expect(analysis).rejects.toThrow('cancelled by the test');
    expect(performance.now() - cancelledAt).toBeLessThan(CANCEL_WITHIN_MS);
    expect(isHeardBy(window.wavPath)).toBe(false);
  });
  return analysed;
}

/** Whether a process has the path of the audio in its arguments. */
function isHeardBy(wavPath: string): boolean {
  const { stdout } = spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
  return stdout.split('\n').some((line) => line.includes(wavPath));
}
