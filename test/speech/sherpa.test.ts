import { cp, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WindowResult } from '../../contract/speech-results.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { createSherpaEngine } from '../../speech/sherpa.ts';
import { findSherpaModels, findSherpaVoices, type SherpaModels } from '../../speech/sherpa/find-models.ts';
import { cutWindows } from '../../speech/windows.ts';
import { watchEventLoop } from '../helpers/event-loop.ts';
import { useTinyModels } from '../helpers/tiny-models.ts';
import { describeEngine } from './engine-suite.ts';
import { conversation, writeTones } from './tones.ts';

const tiny = useTinyModels();
const signal = new AbortController().signal;
const LONGEST_MS = 100;
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
  const models = await findSherpaModels({ speechModelsDir: modelsDir, SPEECH_ASR_MODEL: asrModel });
  if ('missing' in models) throw new Error(models.missing);
  return models;
}
function engineOf(models: Parameters<typeof createSherpaEngine>[0]['models']): SpeechEngine {
  return createSherpaEngine({ models, workFolder: folder, timeoutMs: 60_000, threads: 1, speakerDistance: 0.5 });
}

describe.each([
  ['tiny-whisper', /^Good morning, the bridge is closed/, 'de'],
  ['tiny-parakeet', /^we meet tonight/, undefined],
] as const)('the sherpa engine with %s', (name, says, language) => {
  let engine: SpeechEngine;
  // The languages of a transducer that is not in the catalogue are unknown.
  const models = async (): Promise<SherpaModels> => {
    const found = await modelsOf(name);
    return { ...found, recogniser: { languages: ['en'], ...found.recogniser } };
  };
  beforeAll(async () => {
    engine = engineOf(await models());
  });
  describeEngine({
    engine: () => engine,
    windows: () => Promise.resolve(cut('short', 15)),
    ...{ says, language },
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
  const analyse = async (name: string, language?: string): Promise<WindowResult> => {
    const key = `${name} ${language ?? ''}`;
    const options = { ...(language === undefined ? {} : { language }), signal, onProgress: () => undefined };
    const result = heard.get(key) ?? (await engineOf(await modelsOf(name)).analyse(recording('short'), options));
    heard.set(key, result);
    return result;
  };

  it('derives the times of words from tokens, otherwise from segments', async () => {
    const bySegment = await analyse('tiny-whisper');
    expect(bySegment.words.slice(0, 6).map(({ text }) => text)).toEqual(
      'Good morning, the bridge is closed.'.split(' '),
    );
    // The first segment lasts from 0 to 0.8 s; the second starts at 1 s and has no end.
    expect(bySegment.words[1]!.endSeconds).toBeCloseTo(0.8, 2);
    expect(bySegment.words[2]!.startSeconds).toBeCloseTo(1, 2);
    const byToken = await analyse('tiny-whisper-attention');
    expect(byToken.words.slice(0, 6).map(({ startSeconds }) => startSeconds)).toEqual(
      [0, 0.72, 1.12, 1.32, 1.72, 1.92].map((seconds) => expect.closeTo(seconds, 2) as number),
    );
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

  it('returns the detected, requested or only language of Whisper, and none for Parakeet', async () => {
    expect((await analyse('tiny-whisper')).language).toBe('de');
    expect((await analyse('tiny-whisper', 'en-GB')).language).toBe('en');
    expect((await analyse('tiny-whisper.en')).language).toBe('en');
    expect(await analyse('tiny-parakeet')).not.toHaveProperty('language');
    await expect(analyse('tiny-whisper.en', 'de')).rejects.toMatchObject({ code: 'unsupported', message: /de/ });
  });

  it('distinguishes two tones and returns their times in every window', async () => {
    const engine = engineOf(await modelsOf('tiny-whisper'));
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
    const models = await findSherpaVoices({ speechModelsDir: tiny.folder });
    if ('missing' in models) throw new Error(models.missing);
    const shares: number[] = [];
    const { words, voices } = await engineOf(models).analyse(recording('short'), {
      ...{ signal, onProgress: (share) => shares.push(share) },
    });
    expect(words).toEqual([]);
    expect(voices).toEqual((await analyse('tiny-whisper')).voices);
    expect(shares.at(-1)).toBe(1);
  });

  it('does not block the event loop while a model runs', async () => {
    const engine = engineOf(await modelsOf('slow-whisper'));
    const stop = watchEventLoop();
    const { voices } = await engine.analyse(recording('short'), { signal, onProgress: () => undefined });
    // Ten hours have this number of windows.
    await engine.cluster(
      Array.from({ length: 120 }, () => voices),
      { signal },
    );
    expect(stop()).toBeLessThan(LONGEST_MS);
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
    expect(nowhere).toMatchObject({ missing: /SPEECH_MODELS_DIR.*nowhere.*npm run models/ });
    const unknown = await findSherpaModels({ speechModelsDir: tiny.folder, SPEECH_EMBEDDING_MODEL: 'tiny-whisper' });
    expect(unknown).toMatchObject({ missing: /SPEECH_EMBEDDING_MODEL=tiny-whisper is no embedding model/ });
    const absent = await findSherpaModels({ speechModelsDir: tiny.folder, SPEECH_ASR_MODEL: 'whisper-huge' });
    expect(absent).toMatchObject({ missing: /SPEECH_ASR_MODEL=whisper-huge: there is no such model/ });
  });

  it('fail the job with tool_missing if they are missing or damaged', async () => {
    const message = /SPEECH_MODELS_DIR.*models-.*verify/;
    for (const name of ['tiny-whisper/tiny-decoder.onnx', 'tiny-segmentation/model.onnx']) {
      const modelsDir = await copyOfModels();
      const models = await modelsOf('tiny-whisper', modelsDir);
      await truncate(join(modelsDir, name), 100);
      await expect(failure(models)).rejects.toMatchObject({ code: 'tool_missing', message });
      await rm(modelsDir, { recursive: true });
      await expect(failure(models)).rejects.toMatchObject({ code: 'tool_missing', message });
    }
  });

  it('fail the job if a file has changed since its installation', async () => {
    const modelsDir = await copyOfModels();
    const models = await modelsOf('tiny-whisper', modelsDir);
    const files = [{ path: 'model.onnx', sizeBytes: 5_000_000, sha256: '0'.repeat(64) }];
    const pinned = { url: 'http://127.0.0.1/', sizeBytes: 1, sha256: '0'.repeat(64), isPublishedSum: false, files };
    await writeFile(join(modelsDir, 'models.lock.json'), JSON.stringify({ models: { 'tiny-segmentation': pinned } }));
    await expect(failure(models)).rejects.toMatchObject({ code: 'tool_missing' });
    expect(await findSherpaModels({ speechModelsDir: modelsDir })).toMatchObject({
      missing: /tiny-segmentation is damaged.*5000000/,
    });
  });

  it('are reported if workers use different ones', async () => {
    const engine = engineOf(await modelsOf('tiny-whisper'));
    const voice = { startSeconds: 0, endSeconds: 1, localSpeaker: 0 };
    const answer = engine.cluster([[{ ...voice, embedding: [1] }], [{ ...voice, embedding: [1, 0] }]], { signal });
    await expect(answer).rejects.toMatchObject({ code: 'tool_missing', message: /SPEECH_EMBEDDING_MODEL/ });
  });
});
