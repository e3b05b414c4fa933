import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolsOf } from '../../quality/processes.ts';
import { RunKilledError } from '../../runtime/subprocess/run-program.ts';
import { findSpeech } from '../../speech/regions.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { createWhisperProcess } from '../../speech/whisper/whisper-process.ts';
import { readWavLayout } from '../../speech/wav.ts';
import { cutWindows } from '../../speech/windows.ts';
import { useSpeechTools, voicesOf, whisperOf } from '../helpers/speech-tools.ts';
import { until } from '../helpers/until.ts';
import { describeEngine } from './engine-suite.ts';

/** The whole window has one voice. */
const ONE_VOICE: SpeechEngine = {
  name: 'one',
  analyse: ({ startSeconds, endSeconds }) =>
    Promise.resolve({ words: [], voices: [{ startSeconds, endSeconds, localSpeaker: 0, embedding: [1] }] }),
  cluster: (windows) => Promise.resolve(windows.map((voices) => voices.map(() => 0))),
};
const SLOW = { timeout: 120_000 };
const bench = useSpeechTools();
const signal = new AbortController().signal;
const options = { signal, onProgress: () => undefined };
const recordings = new Map<string, Promise<AudioWindow>>();

async function prepare(talk: string): Promise<AudioWindow> {
  const path = fileURLToPath(new URL(`../../local/sandbox/catalogue/media/${talk}/140.m4a`, import.meta.url));
  const wavPath = await bench.prepare(path);
  const { vadModel } = bench.tools;
  const { speech, durationSeconds } = await findSpeech(wavPath, { vadModel, timeoutMs: 60_000, ...options });
  return { wavPath, speech, startSeconds: 0, endSeconds: durationSeconds };
}
function recording(talk: string): Promise<AudioWindow> {
  const known = recordings.get(talk) ?? prepare(talk);
  recordings.set(talk, known);
  return known;
}

let engine: SpeechEngine;
beforeAll(async () => {
  engine = whisperOf(bench, await voicesOf(bench));
});
afterAll(() => engine.close?.());

describe('the whisper engine', () => {
  describeEngine({
    engine: () => engine,
    windows: async () => {
      const { wavPath, speech } = await recording('garden');
      return cutWindows({ speech }, 8).map((window) => ({ ...window, wavPath }));
    },
    says: /too late/,
    language: 'en',
    longWindow: () => recording('tea'),
    unknownLanguage: 'sw',
  });

  it('returns the words of a talk in order, with the confidence of each and of the language', SLOW, async () => {
    const { words, language, languageProbability } = await engine.analyse(await recording('tea'), options);
    const text = words.map((word) => word.text).join(' ');
    expect(text).toMatch(/boil/i);
    expect(language).toBe('en');
    expect(languageProbability).toBeGreaterThan(0.9);
    const confidences = words.map(({ confidence = Number.NaN }) => confidence);
    expect(Math.min(...confidences)).toBeGreaterThan(0);
    expect(confidences.reduce((sum, one) => sum + one, 0) / words.length).toBeGreaterThan(0.7);
  });
});

describe('the process of the whisper engine', () => {
  const settings = () => ({
    ...{ python: bench.tools.python, modelFolder: join(bench.modelsDir, 'base'), modelsDir: bench.modelsDir },
    ...({ device: 'cpu', threads: 2, workFolder: bench.folder } as const),
  });
  const orderOf = async (talk: string) => {
    const { wavPath, endSeconds } = await recording(talk);
    const { offsetBytes, lengthBytes } = await readWavLayout(wavPath);
    return { path: wavPath, offsetBytes, lengthBytes, startSeconds: 0, endSeconds, speech: [[0, endSeconds]] } as const;
  };
  it('loads the model once for all windows', SLOW, async () => {
    const whisper = createWhisperProcess(settings());
    try {
      expect(await whisper.warmUp()).toBe('cpu');
      const loaded = whisper.pid();
      const order = await orderOf('garden');
      const both = await Promise.all([1, 2].map(() => whisper.transcribe(order, signal, () => undefined)));
      expect(both[1]).toEqual(both[0]);
      expect(whisper.pid()).toBe(loaded);
    } finally {
      await whisper.close();
    }
    expect(whisper.pid()).toBeUndefined();
  });

  it('ends within two seconds of a cancellation, and is replaced for the next window', SLOW, async () => {
    const whisper = createWhisperProcess(settings());
    try {
      await whisper.warmUp();
      const before = whisper.pid();
      const [order, abort] = [await orderOf('tea'), new AbortController()];
      const idleTicks = ticksOf(before!);
      const running = whisper.transcribe(order, abort.signal, () => undefined);
      await until(() => Promise.resolve(ticksOf(before!) > idleTicks + 20), { what: 'the computation' });
      const waiting = whisper.transcribe(order, abort.signal, () => undefined);
      const cancelledAt = performance.now();
      abort.abort(new Error('cancelled by the test'));
      await expect(running).rejects.toThrow('cancelled by the test');
      await expect(waiting).rejects.toThrow('cancelled by the test');
      expect(performance.now() - cancelledAt).toBeLessThan(2_000);
      const { words } = await whisper.transcribe(await orderOf('garden'), signal, () => undefined);
      expect(words.length).toBeGreaterThan(10);
      expect(whisper.pid()).not.toBe(before);
      await until(() => Promise.resolve(!isRunning(before)), { what: 'the end of the process' });
    } finally {
      await whisper.close();
    }
  });

  it('fails only the attempt when it is killed, also while it loads the model, and is replaced', SLOW, async () => {
    const whisper = createWhisperProcess(settings());
    try {
      const running = (): number[] =>
        toolsOf(process.pid).flatMap(({ pid, command }) => (command.includes('transcribe.py') ? [pid] : []));
      const others = running();
      const loading = whisper.warmUp();
      process.kill(await until(() => running().find((pid) => !others.includes(pid))), 'SIGKILL');
      await expect(loading).rejects.toBeInstanceOf(RunKilledError);
      await whisper.warmUp();
      const window = whisper.transcribe(await orderOf('tea'), signal, () => undefined);
      process.kill(whisper.pid()!, 'SIGKILL');
      await expect(window).rejects.toBeInstanceOf(RunKilledError);
      const { words } = await whisper.transcribe(await orderOf('garden'), signal, () => undefined);
      expect(words.length).toBeGreaterThan(10);
    } finally {
      await whisper.close();
    }
  });

  it('names the setting when its Python, its model or its device is missing', SLOW, async () => {
    const broken = join(await mkdtemp(join(bench.folder, 'models-')), 'base');
    await mkdir(broken);
    await cp(join(bench.modelsDir, 'base'), broken, { recursive: true });
    await truncate(join(broken, 'model.bin'), 1_000);
    const cases = [
      [{ python: '/nowhere/python3' }, /SPEECH_PYTHON_PATH/],
      [{ modelFolder: broken }, /SPEECH_MODELS_DIR/],
      [{ device: 'cuda' }, /SPEECH_DEVICE/],
    ] as const;
    for (const [change, message] of cases) {
      const whisper = createWhisperProcess({ ...settings(), ...change });
      await expect(whisper.warmUp()).rejects.toMatchObject({ code: 'tool_missing', message });
      await whisper.close();
    }
  });
});

describe('audio without speech', () => {
  it('has no words if no voice was detected', async () => {
    const { wavPath } = await recording('garden');
    const noVoices: SpeechEngine = { ...ONE_VOICE, analyse: () => Promise.resolve({ words: [], voices: [] }) };
    const whisper = whisperOf(bench, noVoices);
    expect(await whisper.analyse({ wavPath, startSeconds: 0, endSeconds: 5, speech: [] }, options)).toEqual({
      ...{ words: [], voices: [] },
    });
    await whisper.close?.();
  });
});

/** The processor time that a process has used, in hundredths of a second. */
function ticksOf(pid: number): number {
  return Number(readFileSync(`/proc/${String(pid)}/stat`, 'utf8').split(' ')[13]);
}

function isRunning(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
}
