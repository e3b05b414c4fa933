import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { speechSettings } from '../../local/engines/tools.ts';
import { chooseSpeech } from '../../speech/choose-engine.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';
import { useTinyModels } from '../helpers/tiny-models.ts';

const execute = promisify(execFile);
const tiny = useTinyModels();
const speech = useSpeechTools();

let folder: string;
let host: Server;
let requests: string[];
let said: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-speech-models-'));
  [requests, said] = [[], []];
});
afterEach(async () => {
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

/** A stand-in for the host of sherpa-onnx's releases, with tiny models under the names of the real ones. */
async function serveReleases(): Promise<string> {
  const files = new Map<string, Buffer>();
  const archive = async (path: string, name: string): Promise<void> => {
    await execute('tar', ['-cjf', join(folder, 'archive'), '-C', tiny.folder, name]);
    files.set(path, await readFile(join(folder, 'archive')));
  };
  await archive('/asr-models/sherpa-onnx-whisper-base.tar.bz2', 'tiny-whisper');
  await archive('/speaker-segmentation-models/sherpa-onnx-pyannote-segmentation-3-0.tar.bz2', 'tiny-segmentation');
  files.set('/asr-models/silero_vad.onnx', await readFile(speech.tools.vadModel));
  const embedding = await readFile(join(tiny.folder, 'tiny-embedding', 'tiny_embedding.onnx'));
  files.set('/speaker-recongition-models/nemo_en_titanet_small.onnx', embedding);
  const sums = [...files].map(
    ([path, body]) => `${basename(path)}\t${createHash('sha256').update(body).digest('hex')}`,
  );
  for (const release of ['asr-models', 'speaker-recongition-models'])
    files.set(`/${release}/checksum.txt`, Buffer.from(sums.join('\n')));
  host = createServer(({ url = '' }, response) => {
    requests.push(url);
    const body = files.get(url);
    response.writeHead(body === undefined ? 404 : 200, { 'content-length': body?.length ?? 0 }).end(body);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((host.address() as AddressInfo).port)}`;
}

/** What `npm start` sets up for speech on a machine where nobody has decided anything about it but this. */
const setUp = async (env: Record<string, string>, mayFetchModels = true) => {
  const config = loadConfig({ DATA_DIR: folder, ...env });
  const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log: (line: string) => said.push(line) };
  const settings = await speechSettings(setup, config, mayFetchModels);
  return { config, settings };
};

describe('what transcribes after the first start', () => {
  it('is the sherpa engine with small models that are fetched once, without Python', async () => {
    const SPEECH_MODELS_URL = await serveReleases();
    const { config, settings } = await setUp({ SPEECH_MODELS_URL });
    expect(settings).toEqual({});
    expect(await chooseSpeech(config, folder)).toMatchObject({
      engine: { name: 'sherpa' },
      vadModel: join(folder, 'models', 'silero-vad', 'silero_vad.onnx'),
    });
    expect(said[0]).toMatch(/^speech: fetching models into .*models, about 250 MB, once/);
    expect(said).toContainEqual(expect.stringMatching(/^speech: whisper-base: unpacked 100 %$/));
    expect(said).toContain('speech: titanet-small: installed (licence: CC-BY-4.0)');
    [requests, said] = [[], []];
    expect((await setUp({ SPEECH_MODELS_URL })).settings).toEqual({});
    expect([requests, said]).toEqual([[], []]);
  });

  it('is the builtin engine where their host does not answer, and one line says what is missing', async () => {
    const SPEECH_MODELS_URL = await serveReleases();
    await new Promise((resolve) => host.close(resolve));
    const { config, settings } = await setUp({ SPEECH_MODELS_URL });
    expect(settings).toMatchObject({ SPEECH_PYTHON_PATH: speech.tools.python });
    expect(await chooseSpeech({ ...config, ...settings }, folder)).toMatchObject({ engine: { name: 'builtin' } });
    expect(said).toEqual([
      expect.stringMatching(
        /^speech: no models for better words and speakers, so the builtin engine is used: .*ECONNREFUSED/,
      ),
    ]);
  });

  it.each<[string, Record<string, string>, boolean?]>([
    ['that engine was named', { SPEECH_ENGINE: 'builtin' }],
    ['a server hears the words', { SPEECH_OPENAI_URL: 'http://127.0.0.1:9/v1' }],
    ['models are not allowed', {}, false],
  ])('is fetched from nowhere when %s', async (_why, env, mayFetchModels) => {
    const SPEECH_MODELS_URL = await serveReleases();
    const { settings } = await setUp({ SPEECH_MODELS_URL, ...env }, mayFetchModels);
    expect(settings).toMatchObject({ SPEECH_PYTHON_PATH: speech.tools.python });
    expect([requests, said]).toEqual([[], []]);
  });
});
