import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe } from 'vitest';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { createOpenaiEngine } from '../../speech/openai/openai-engine.ts';
import { createSherpaEngine } from '../../speech/sherpa.ts';
import { findVoiceModels } from '../../speech/models/find-models.ts';
import { cutWindows } from '../../speech/windows.ts';
import { TINY_VOICES, useTinyModels } from '../helpers/tiny-models.ts';
import { fail, startTranscriptionServer, type TranscriptionServer } from '../helpers/transcription-server.ts';
import { describeEngine } from './engine-suite.ts';
import { conversation, writeTones } from './tones.ts';

const LONG_SECONDS = 200;

const tiny = useTinyModels();
let folder = '';
let server: TranscriptionServer;
let voices: SpeechEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-openai-'));
  const models = await findVoiceModels({ ...TINY_VOICES, speechModelsDir: tiny.folder });
  if ('missing' in models) throw new Error(models.missing);
  voices = createSherpaEngine({ models, workFolder: folder, timeoutMs: 60_000, threads: 1 });
  server = await startTranscriptionServer({
    product: 'vllm',
    instead: (res, { fields, seconds }) => {
      if (fields['language']?.[0] === 'xx') return fail(res, 400, { message: "Unsupported language: 'xx'", code: 400 });
      // There is no response, so the request waits until it is cancelled.
      if (seconds < LONG_SECONDS) res.end(JSON.stringify({ text: 'Good morning – all of you.', language: 'en' }));
      return true;
    },
  });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const recordings = new Map<number, Promise<AudioWindow>>();

/** A file is written once, because an engine may still read it when the next test requests it. */
function recording(tones: number): Promise<AudioWindow> {
  const known = recordings.get(tones) ?? write(tones);
  recordings.set(tones, known);
  return known;
}

async function write(tones: number): Promise<AudioWindow> {
  const wavPath = join(folder, `${String(tones)}.wav`);
  const { speech, seconds } = await writeTones(wavPath, conversation(tones));
  return { wavPath, speech, startSeconds: 0, endSeconds: seconds };
}

describe.each(['json', 'verbose_json'] as const)(
  'the openai engine with answers as %s and voices of sherpa',
  (format) => {
    describeEngine({
      engine: () =>
        createOpenaiEngine(
          { baseUrl: server.url, model: 'vllm', format, maxRequestSeconds: 300, timeoutMs: 60_000 },
          voices,
        ),
      windows: async () => {
        const { wavPath, speech } = await recording(8);
        return cutWindows({ speech }, 15).map((window) => ({ ...window, wavPath }));
      },
      ...{ says: /^Good morning .*all of you\./, language: 'en' },
      longWindow: () => recording(80),
      unknownLanguage: 'xx',
    });
  },
);
