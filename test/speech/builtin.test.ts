import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createBuiltinEngine } from '../../speech/builtin.ts';
import type { Turn, WindowResult } from '../../contract/speech.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/engine.ts';
import { findSpeech } from '../../speech/regions.ts';
import { turnsOf } from '../../speech/turns.ts';
import { cutWindows } from '../../speech/windows.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';

const bench = useSpeechTools();
const signal = new AbortController().signal;
const engine = (): SpeechEngine =>
  createBuiltinEngine({ python: bench.tools.python, workFolder: bench.folder, timeoutMs: 120_000 });
const media = (folder: string, file: string): string =>
  fileURLToPath(new URL(`../../sandbox/catalogue/media/${folder}/${file}`, import.meta.url));

async function windowsOf(folder: string, maxSeconds?: number): Promise<AudioWindow[]> {
  const wavPath = await bench.prepare(media(folder, '140.m4a'));
  const { vadModel } = bench.tools;
  const regions = await findSpeech(wavPath, { vadModel, signal, timeoutMs: 60_000, onProgress: () => undefined });
  return cutWindows(regions, maxSeconds).map((window) => ({ ...window, wavPath }));
}

const analyse = (window: AudioWindow): Promise<WindowResult> =>
  engine().analyse(window, { signal, onProgress: () => undefined });

/** Who speaks in each line of a dialogue, by the captions and the dialogue's text. */
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

/** The speakers who are heard for more than a tenth of a line. */
function heardIn(line: { startSeconds: number; endSeconds: number }, turns: readonly Turn[]): number[] {
  const shares = new Map<number, number>();
  for (const turn of turns) {
    const seconds = Math.min(turn.endSeconds, line.endSeconds) - Math.max(turn.startSeconds, line.startSeconds);
    if (seconds > 0) shares.set(turn.speaker, (shares.get(turn.speaker) ?? 0) + seconds);
  }
  return [...shares]
    .filter(([, seconds]) => seconds > (line.endSeconds - line.startSeconds) / 10)
    .map(([speaker]) => speaker);
}

describe('the builtin engine', () => {
  it('tells the two voices of a conversation apart, line by line, and hears its words', async () => {
    const [window, ...more] = await windowsOf('bridge');
    expect(more).toEqual([]);
    const shares: number[] = [];
    const result = await engine().analyse(window!, { signal, onProgress: (share) => shares.push(share) });
    const turns = turnsOf([result.voices], await engine().cluster([result.voices], { signal }));
    const numbers: Record<string, number> = { b: 0, a: 1 };
    for (const line of await linesOf('bridge')) expect(heardIn(line, turns)).toEqual([numbers[line.speaker]]);
    expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(2);

    expect(result.language).toBe('en');
    const text = result.words.map((word) => word.text).join(' ');
    expect(text).toMatch(/bridge|winter|flood|thousand|june/);
    for (const { startSeconds, endSeconds } of result.words) {
      expect(startSeconds).toBeGreaterThanOrEqual(window!.startSeconds - 0.2);
      expect(endSeconds).toBeLessThanOrEqual(window!.endSeconds + 0.2);
      expect(endSeconds).toBeGreaterThan(startSeconds);
    }
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  it('answers the same each time', async () => {
    const [window] = await windowsOf('garden');
    const [first, second] = await Promise.all([analyse(window!), analyse(window!)]);
    expect(second).toEqual(first);
  });

  it('knows a voice again in another window, and keeps to the limits that are asked for', async () => {
    const windows = await windowsOf('tea', 15);
    expect(windows.length).toBeGreaterThan(1);
    const voices: WindowResult['voices'][] = [];
    for (const window of windows) voices.push((await analyse(window)).voices);
    const count = async (limits: object): Promise<number> =>
      new Set((await engine().cluster(voices, { ...limits, signal })).flat()).size;

    const turns = turnsOf(voices, await engine().cluster(voices, { signal }));
    for (const [i, line] of (await linesOf('tea')).entries()) expect(heardIn(line, turns)).toEqual([i % 2]);
    expect(await count({ maxSpeakers: 1 })).toBe(1);
    expect(await count({ minSpeakers: 3 })).toBe(3);
    const [first] = (await engine().cluster(voices, { minSpeakers: 4, signal })).flat();
    expect(first).toBe(0);
  });

  it('finds nothing where nobody speaks', async () => {
    const wavPath = await bench.prepare(
      await bench.make('quiet.wav', '-f', 'lavfi', '-i', 'anullsrc=r=16000', '-t', '1'),
    );
    const window = { wavPath, startSeconds: 0, endSeconds: 1, speech: [] };
    expect(await analyse(window)).toEqual({ language: 'en', words: [], voices: [] });
    expect(await engine().cluster([[], []], { signal })).toEqual([[], []]);
  });

  it('takes speech that is shorter than a frame', async () => {
    const [{ wavPath }] = (await windowsOf('garden')) as [AudioWindow];
    const speech = [{ startSeconds: 1, endSeconds: 1.01 }];
    expect((await analyse({ wavPath, startSeconds: 1, endSeconds: 1.01, speech })).voices).toEqual([]);
  });

  it('refuses a language that it does not know', async () => {
    const [window] = await windowsOf('garden');
    const answer = engine().analyse(window!, { language: 'pt-BR', signal, onProgress: () => undefined });
    await expect(answer).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('ends when it is cancelled', async () => {
    const [window] = await windowsOf('tea');
    const abort = new AbortController();
    const onProgress = (): void => abort.abort(new Error('cancelled by the test'));
    await expect(engine().analyse(window!, { signal: abort.signal, onProgress })).rejects.toThrow(
      'cancelled by the test',
    );
  });

  it('names the setting when its Python is not there', async () => {
    const broken = createBuiltinEngine({ python: '/nowhere/python3', workFolder: bench.folder, timeoutMs: 10_000 });
    const [window] = await windowsOf('garden');
    const answer = broken.analyse(window!, { signal, onProgress: () => undefined });
    await expect(answer).rejects.toMatchObject({ code: 'tool_missing', message: /SPEECH_PYTHON_PATH/ });
  });
});
