import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { buildConsole } from '../../../api/console/console-files.ts';
import { settings } from '../../../config.ts';
import { createMedia } from '../../../media/ffmpeg.ts';
import { ffmpegDownloader } from '../../../sources/vidnet/yt-dlp/ffmpeg-downloader.ts';
import { readYtdlpVersion } from '../../../sources/vidnet/yt-dlp/yt-dlp-version.ts';
import { createYtdlpSource } from '../../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { prepareWav } from '../../../speech/prepare.ts';
import { findSpeech } from '../../../speech/regions.ts';
import { createSherpaEngine } from '../../../speech/sherpa.ts';
import { wavHeader } from '../../../speech/wav.ts';
import * as starts from '../../../runtime/subprocess/run-program.ts';
import { compileWorkflows } from '../../../worker/workflow-bundle.ts';

// Arguments are for every user of the machine to read, and the environment for every library that a program loads.
vi.mock('../../../runtime/subprocess/run-program.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof starts>()),
  run: vi.fn(() => Promise.resolve({ exitCode: 1, stdout: '', stderrTail: '' })),
}));

const ROOT = join(import.meta.dirname, '../../..');
const secret = randomBytes(12).toString('hex');
const signal = new AbortController().signal;
const limits = { signal, timeoutMs: 1_000, onProgress: () => undefined };
let folder: string;
let wavPath: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-children-'));
  wavPath = join(folder, 'a.wav');
  await writeFile(wavPath, Buffer.concat([wavHeader(32_000), Buffer.alloc(32_000)]));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  for (const name of Object.keys(settings.shape)) vi.stubEnv(name, secret);
  vi.mocked(starts.run).mockClear();
  return () => vi.unstubAllEnvs();
});

const media = createMedia({
  ffmpeg: '/bin/f',
  ffprobe: '/bin/p',
  maxFileBytes: 1_000,
  maxMediaSeconds: 9,
  maxVideoHeight: 1080,
});
const window = () => ({ wavPath, startSeconds: 0, endSeconds: 1, speech: [{ startSeconds: 0, endSeconds: 1 }] });
const engine = { workFolder: tmpdir(), timeoutMs: 1_000 };
const sherpa = createSherpaEngine({
  ...{ ...engine, threads: 1 },
  models: { modelsDir: join(tmpdir(), 'none'), segmentation: 's', embedding: 'e', names: [] },
});
const ytdlp = createYtdlpSource({
  ...{ program: '/bin/yt-dlp', videoUrlTemplate: 'http://x/{id}', channelUrlTemplate: 'http://x/{path}' },
  ...{
    maxFileBytes: 1_000,
    maxVideoHeight: 720,
    proxy: `http://u:${secret}@127.0.0.1`,
    extractorArgs: `a:b=${secret}`,
  },
});

const EVERY = ['PATH', 'LANG'];
const OF_YTDLP = [...EVERY, 'HOME', 'PYTHONDONTWRITEBYTECODE'];
it.each<[string, readonly string[], () => Promise<unknown>]>([
  [
    'yt-dlp',
    [...OF_YTDLP, 'TMPDIR', 'all_proxy'],
    () => ytdlp.fetchAudio('x', { ...limits, folder, maxMediaSeconds: 9 }),
  ],
  ['yt-dlp, for its version,', OF_YTDLP, () => readYtdlpVersion('/bin/yt-dlp')],
  ['ffmpeg, for its options,', EVERY, () => ffmpegDownloader('/bin/f')],
  ['ffprobe', EVERY, () => media.probe(wavPath, signal)],
  ['ffmpeg', EVERY, () => media.writeM4a({ path: wavPath, audioCodec: 'aac' }, join(folder, 'b.m4a'), limits)],
  [
    'ffmpeg, for speech,',
    EVERY,
    () => prepareWav(wavPath, join(folder, 'b.wav'), { ...limits, ffmpeg: '/bin/f', maxSeconds: 9 }),
  ],
  ['the search for speech', EVERY, () => findSpeech(wavPath, { ...limits, vadModel: '/vad' })],
  ['sherpa', EVERY, () => sherpa.analyse(window(), limits)],
  ['the compiler of workflows', EVERY, () => compileWorkflows()],
  ['the builder of the console', EVERY, () => buildConsole(join(folder, 'console'))],
])(
  '%s is started with %j of the environment, and without a secret among its arguments',
  async (_what, names, start) => {
    await start().catch(() => undefined);
    expect(starts.run).toHaveBeenCalled();
    for (const [program, args, { env }] of vi.mocked(starts.run).mock.calls) {
      expect([program, ...args].join(' ')).not.toContain(secret);
      expect(Object.keys(env).toSorted()).toEqual(names.toSorted());
      expect(Object.entries(env).filter(([name, value]) => name !== 'all_proxy' && value.includes(secret))).toEqual([]);
    }
  },
);

it('the service starts programs in no other places', async () => {
  const others = ['command', 'data', 'deploy', 'docs', 'local', 'node_modules', 'quality', 'test'];
  const folders = (await readdir(ROOT, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !others.includes(entry.name))
    .map(({ name }) => name);
  expect(folders).toEqual(expect.arrayContaining(['media', 'runtime', 'worker']));
  const files = await Promise.all(
    folders.map(async (name) => (await readdir(join(ROOT, name), { recursive: true })).map((file) => join(name, file))),
  );
  const starting = await Promise.all(
    files.flat().map(async (file) => {
      if (!/\.m?[jt]s$/.test(file) || file.startsWith('runtime/subprocess/')) return [];
      const text = await readFile(join(ROOT, file), 'utf8');
      return /\b(?:run|startWarmProcess)\b[^;]+from '[./]*(?:runtime\/)?subprocess\/(?:run-program|warm-process)\.ts'|child_process/.test(
        text,
      )
        ? [file]
        : [];
    }),
  );
  expect(starting.flat().toSorted()).toEqual([
    'api/console/console-files.ts',
    'media/media-guard.ts',
    'sources/vidnet/releases/install-release.ts',
    'sources/vidnet/warm/warm-parent.ts',
    'sources/vidnet/yt-dlp/ffmpeg-downloader.ts',
    'sources/vidnet/yt-dlp/run-yt-dlp.ts',
    'sources/vidnet/yt-dlp/yt-dlp-version.ts',
    'speech/json-lines.ts',
    'speech/whisper/whisper-process.ts',
    'worker/workflow-bundle.ts',
  ]);
});
