import { cp, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WindowResult } from '../../contract/speech-results.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { createSherpaEngine } from '../../speech/sherpa.ts';
import { findSherpaModels, findVoiceModels, type SherpaModels } from '../../speech/models/find-models.ts';
import { cutWindows } from '../../speech/windows.ts';
import { LONGEST_TASK_MS, watchEventLoop } from '../helpers/event-loop.ts';
import { TINY_VOICES, useTinyModels } from '../helpers/tiny-models.ts';
import { describeEngine } from './engine-suite.ts';
import { conversation, writeTones } from './tones.ts';

const tiny = useTinyModels();
const signal = new AbortController().signal;
const TONES = 8;
const LONG_TONES = 80;

let folder = '';
const recordings = new Map<string, AudioWindow>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-sherpa-'));
  for (const [name, tones] of Object.entries({ short: TONES, long: LONG_TONES })) {
    const wavPath = join(folder, `${name}.wav`);
    const { speech, seconds } = await writeTones(wavPath, conversation(tones));
    recordings.set(name, { wavPath, speech, startSeconds: 0, endSeconds: seconds });
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const recording = (name: 'short' | 'long'): AudioWindow => recordings.get(name)!;
async function modelsOf(asrModel: string, modelsDir = tiny.folder): Promise<SherpaModels> {
  const models = await findSherpaModels({ ...TINY_VOICES, speechModelsDir: modelsDir, SPEECH_MODEL: asrModel });
  if ('missing' in models) throw new Error(models.missing);
  return models;
}
function engineOf(models: Parameters<typeof createSherpaEngine>[0]['models']): SpeechEngine {
  return createSherpaEngine({ models, workFolder: folder, timeoutMs: 60_000, threads: 1 });
}

describe('the sherpa engine with a tiny Parakeet', () => {
  let engine: SpeechEngine;
  beforeAll(async () => {
    const found = await modelsOf('tiny-parakeet');
    // The languages of a model that is not in the catalogue are unknown.
    engine = engineOf({ ...found, recogniser: { ...found.recogniser, languages: ['en'] } });
  });
  describeEngine({
    engine: () => engine,
    windows: () => Promise.resolve(cut('short', 15)),
    ...{ says: /^we meet tonight/, language: undefined },
    longWindow: () => Promise.resolve(recording('long')),
    unknownLanguage: 'sw',
  });
});

function cut(name: 'short' | 'long', maxSeconds: number): AudioWindow[] {
  const { wavPath, speech } = recording(name);
  return cutWindows({ speech }, maxSeconds).map((window) => ({ ...window, wavPath }));
}

describe('the sherpa engine', () => {
  const heard = new Map<string, WindowResult>();
  const analyse = async (name: string): Promise<WindowResult> => {
    const options = { signal, onProgress: () => undefined };
    const result = heard.get(name) ?? (await engineOf(await modelsOf(name)).analyse(recording('short'), options));
    heard.set(name, result);
    return result;
  };

  it('derives the times of words from tokens', async () => {
    const parakeet = await analyse('tiny-parakeet');
    expect(parakeet.words.slice(0, 4)).toEqual(
      [
        ['we', 0, 0.16],
        ['meet', 0.16, 0.32],
        ['tonight.', 0.32, 0.64],
        ['we', 0.64, 0.8],
      ].map(([text, start, end]) => ({
        text,
        startSeconds: expect.closeTo(start as number, 2) as number,
        endSeconds: expect.closeTo(end as number, 2) as number,
      })),
    );
  });

  it('distinguishes two tones and returns their times in every window', async () => {
    const engine = engineOf(await modelsOf('tiny-parakeet'));
    // Each window has three tones, so that not all windows start with the same one.
    const windows = cut('short', 12);
    expect(windows.map(({ speech }) => speech.length)).toEqual([3, 3, 2]);
    const voices: WindowResult['voices'][] = [];
    for (const window of windows) {
      voices.push((await engine.analyse(window, { signal, onProgress: () => undefined })).voices);
    }
    const speakers = await engine.cluster(voices, { signal });
    for (const [index, { startSeconds, endSeconds }] of recording('short').speech.entries()) {
      const middle = (startSeconds + endSeconds) / 2;
      const here = voices.flatMap((ofWindow, w) =>
        ofWindow.flatMap((voice, i) =>
          voice.startSeconds < middle && voice.endSeconds > middle ? [speakers[w]![i]] : [],
        ),
      );
      expect(here).toEqual([index % 2]);
    }
  });

  it('detects voices without a recogniser', async () => {
    const models = await findVoiceModels({ ...TINY_VOICES, speechModelsDir: tiny.folder });
    if ('missing' in models) throw new Error(models.missing);
    const shares: number[] = [];
    const { words, voices } = await engineOf(models).analyse(recording('short'), {
      ...{ signal, onProgress: (share) => shares.push(share) },
    });
    expect(words).toEqual([]);
    expect(voices).toEqual((await analyse('tiny-parakeet')).voices);
    expect(shares.at(-1)).toBe(1);
  });

  it('does not block the event loop while a model runs', async () => {
    const engine = engineOf(await modelsOf('tiny-parakeet'));
    const stop = watchEventLoop();
    const { voices } = await engine.analyse(recording('short'), { signal, onProgress: () => undefined });
    // Ten hours have this number of windows.
    await engine.cluster(
      Array.from({ length: 120 }, () => voices),
      { signal },
    );
    expect(stop()).toBeLessThan(LONGEST_TASK_MS);
  });
});

describe('unusable models', () => {
  const copyOfModels = async (): Promise<string> => {
    const copy = await mkdtemp(join(folder, 'models-'));
    await cp(tiny.folder, copy, { recursive: true });
    return copy;
  };
  const failure = async (models: SherpaModels): Promise<unknown> =>
    engineOf(models).analyse(recording('short'), { signal, onProgress: () => undefined });

  it('are reported with their setting', async () => {
    const nowhere = await findSherpaModels({ speechModelsDir: join(folder, 'nowhere') });
    expect(nowhere).toMatchObject({ missing: /SPEECH_MODELS_DIR.*nowhere/ });
    const unknown = await findSherpaModels({ speechModelsDir: tiny.folder, SPEECH_EMBEDDING_MODEL: 'tiny-parakeet' });
    expect(unknown).toMatchObject({ missing: /SPEECH_EMBEDDING_MODEL=tiny-parakeet is not an embedding model/ });
    const absent = await findSherpaModels({ speechModelsDir: tiny.folder, SPEECH_MODEL: 'whisper-huge' });
    expect(absent).toMatchObject({ missing: /whisper-huge of SPEECH_MODEL is not in SPEECH_MODELS_DIR/ });
  });

  it('fail the job with tool_missing if they are missing or damaged', async () => {
    const message = /SPEECH_MODELS_DIR.*models-.*verify/;
    for (const name of ['tiny-parakeet/decoder.int8.onnx', 'tiny-segmentation/model.onnx']) {
      const modelsDir = await copyOfModels();
      const models = await modelsOf('tiny-parakeet', modelsDir);
      await truncate(join(modelsDir, name), 100);
      await expect(failure(models)).rejects.toMatchObject({ code: 'tool_missing', message });
      await rm(modelsDir, { recursive: true });
      await expect(failure(models)).rejects.toMatchObject({ code: 'tool_missing', message });
    }
  });

  it('are reported if workers use different ones', async () => {
    const engine = engineOf(await modelsOf('tiny-parakeet'));
    const voice = { startSeconds: 0, endSeconds: 1, localSpeaker: 0 };
    const answer = engine.cluster([[{ ...voice, embedding: [1] }], [{ ...voice, embedding: [1, 0] }]], { signal });
    await expect(answer).rejects.toMatchObject({ code: 'tool_missing', message: /SPEECH_EMBEDDING_MODEL/ });
  });
});
