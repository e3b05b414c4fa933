import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SpeakerTurn, WindowResult } from '../../contract/speech-results.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { findSpeech, type SpeechRegions } from '../../speech/regions.ts';
import { speakerTurnsOf } from '../../speech/voice-segments.ts';
import { coverWindows } from '../../speech/windows.ts';
import { useSpeechTools, voicesOf } from '../helpers/speech-tools.ts';

const SLOW = { timeout: 180_000 };
const bench = useSpeechTools();
const signal = new AbortController().signal;
let voices: SpeechEngine;
beforeAll(async () => {
  voices = await voicesOf(bench);
});
const media = (folder: string, file: string): string =>
  fileURLToPath(new URL(`../../local/sandbox/catalogue/media/${folder}/${file}`, import.meta.url));

interface Prepared extends SpeechRegions {
  readonly wavPath: string;
}
const recordings = new Map<string, Promise<Prepared>>();
async function prepare(folder: string): Promise<Prepared> {
  const wavPath = await bench.prepare(media(folder, '140.m4a'));
  const { vadModel } = bench.tools;
  const regions = await findSpeech(wavPath, { vadModel, signal, timeoutMs: 60_000, onProgress: () => undefined });
  return { ...regions, wavPath };
}
async function windowsOf(folder: string, maxSeconds = 300): Promise<AudioWindow[]> {
  const preparing = recordings.get(folder) ?? prepare(folder);
  recordings.set(folder, preparing);
  const { wavPath, ...regions } = await preparing;
  return coverWindows(regions, maxSeconds).map((window) => ({ ...window, wavPath }));
}

const analyse = (window: AudioWindow): Promise<WindowResult> =>
  voices.analyse(window, { signal, onProgress: () => undefined });

/** Returns the speaker of each line of a dialogue from its captions and text. */
async function linesOf(folder: string): Promise<{ startSeconds: number; endSeconds: number; speaker: string }[]> {
  const captions = JSON.parse(await readFile(media(folder, 'en.json3'), 'utf8')) as {
    events: { tStartMs: number; dDurationMs: number }[];
  };
  const dialogues = JSON.parse(await readFile(media('..', 'dialogues.json'), 'utf8')) as {
    folder: string;
    lines: [string, string][];
  }[];
  const lines = dialogues.find((dialogue) => dialogue.folder === folder)?.lines ?? [];
  return captions.events.map(({ tStartMs, dDurationMs }, i) => ({
    ...{ startSeconds: tStartMs / 1000, endSeconds: (tStartMs + dDurationMs) / 1000, speaker: lines[i]?.[0] ?? '' },
  }));
}

/** Returns the speakers who talk for more than a tenth of a line. */
function heardIn(line: { startSeconds: number; endSeconds: number }, segments: readonly SpeakerTurn[]): number[] {
  const shares = new Map<number, number>();
  for (const segment of segments) {
    const seconds = Math.min(segment.endSeconds, line.endSeconds) - Math.max(segment.startSeconds, line.startSeconds);
    if (seconds > 0) shares.set(segment.speaker, (shares.get(segment.speaker) ?? 0) + seconds);
  }
  return [...shares]
    .filter(([, seconds]) => seconds > (line.endSeconds - line.startSeconds) / 10)
    .map(([speaker]) => speaker);
}

describe('the bundled models of voices', () => {
  it('distinguish the two voices of a conversation in each line', SLOW, async () => {
    const [window, ...more] = await windowsOf('bridge');
    expect(more).toEqual([]);
    const shares: number[] = [];
    const result = await voices.analyse(window!, { signal, onProgress: (share) => shares.push(share) });
    expect(result.words).toEqual([]);
    const segments = speakerTurnsOf([result.voices], await voices.cluster([result.voices], { signal }));
    const numbers: Record<string, number> = { b: 0, a: 1 };
    for (const line of await linesOf('bridge')) expect(heardIn(line, segments)).toEqual([numbers[line.speaker]]);
    expect(new Set(segments.map(({ speaker }) => speaker)).size).toBe(2);

    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  it('recognise a voice in each line of another window', SLOW, async () => {
    const windows = await windowsOf('tea', 15);
    expect(windows.length).toBeGreaterThan(1);
    const found: WindowResult['voices'][] = [];
    for (const window of windows) found.push((await analyse(window)).voices);
    const segments = speakerTurnsOf(found, await voices.cluster(found, { signal }));
    for (const [i, line] of (await linesOf('tea')).entries()) expect(heardIn(line, segments)).toEqual([i % 2]);
  });

  it('accept speech that is shorter than a frame', async () => {
    const [{ wavPath }] = (await windowsOf('garden')) as [AudioWindow];
    const speech = [{ startSeconds: 1, endSeconds: 1.01 }];
    const { voices: found } = await analyse({ wavPath, startSeconds: 1, endSeconds: 1.01, speech });
    expect(found).toEqual([{ startSeconds: 1, endSeconds: 1.01, localSpeaker: 0, embedding: [] }]);
    expect(await voices.cluster([found], { signal })).toEqual([[0]]);
  });
});
