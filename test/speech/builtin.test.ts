import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createBuiltinEngine } from '../../speech/builtin.ts';
import type { SpeakerTurn, WindowResult } from '../../contract/speech-results.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { findSpeech, type SpeechRegions } from '../../speech/regions.ts';
import { speakerTurnsOf } from '../../speech/voice-segments.ts';
import { cutWindows } from '../../speech/windows.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';

/** On a busy machine this engine takes several times as long as the audio. */
const SLOW = { timeout: 180_000 };
const bench = useSpeechTools();
const signal = new AbortController().signal;
const engine = (): SpeechEngine =>
  createBuiltinEngine({ python: bench.tools.python, workFolder: bench.folder, timeoutMs: 120_000 });
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
  return cutWindows(regions, maxSeconds).map((window) => ({ ...window, wavPath }));
}

const analyse = (window: AudioWindow, by = engine()): Promise<WindowResult> =>
  by.analyse(window, { signal, onProgress: () => undefined });

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

describe('the builtin engine', () => {
  it('accepts any language, because it does not transcribe', async () => {
    const [{ wavPath }] = (await windowsOf('garden', 8)) as [AudioWindow];
    const quiet = { wavPath, startSeconds: 0, endSeconds: 0.5, speech: [] };
    const answer = engine().analyse(quiet, { language: 'de', signal, onProgress: () => undefined });
    expect(await answer).toEqual({ words: [], voices: [] });
  });

  it('distinguishes the two voices of a conversation in each line', SLOW, async () => {
    const [window, ...more] = await windowsOf('bridge');
    expect(more).toEqual([]);
    const shares: number[] = [];
    const result = await engine().analyse(window!, { signal, onProgress: (share) => shares.push(share) });
    const segments = speakerTurnsOf([result.voices], await engine().cluster([result.voices], { signal }));
    const numbers: Record<string, number> = { b: 0, a: 1 };
    for (const line of await linesOf('bridge')) expect(heardIn(line, segments)).toEqual([numbers[line.speaker]]);
    expect(new Set(segments.map(({ speaker }) => speaker)).size).toBe(2);

    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  it('recognises a voice in each line of another window', SLOW, async () => {
    const windows = await windowsOf('tea', 15);
    const voices: WindowResult['voices'][] = [];
    for (const window of windows) voices.push((await analyse(window, engine())).voices);
    const segments = speakerTurnsOf(voices, await engine().cluster(voices, { signal }));
    for (const [i, line] of (await linesOf('tea')).entries()) expect(heardIn(line, segments)).toEqual([i % 2]);
  });

  it('accepts speech that is shorter than a frame', async () => {
    const [{ wavPath }] = (await windowsOf('garden')) as [AudioWindow];
    const speech = [{ startSeconds: 1, endSeconds: 1.01 }];
    expect((await analyse({ wavPath, startSeconds: 1, endSeconds: 1.01, speech })).voices).toEqual([]);
  });

  it('names the setting if its Python does not exist', async () => {
    const broken = createBuiltinEngine({ python: '/nowhere/python3', workFolder: bench.folder, timeoutMs: 10_000 });
    const [window] = await windowsOf('garden');
    const answer = broken.analyse(window!, { signal, onProgress: () => undefined });
    await expect(answer).rejects.toMatchObject({ code: 'tool_missing', message: /SPEECH_PYTHON_PATH/ });
  });
});
