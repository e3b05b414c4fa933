import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Span, VoiceSegment, WindowResult } from '../../contract/speech-results.ts';
import type { AudioWindow, SpeechEngine } from '../../speech/speech-engine.ts';
import { createOpenaiEngine, type OpenaiSettings } from '../../speech/openai/openai-engine.ts';
import {
  writeSpokenSeconds,
  startTranscriptionServer,
  type ServerOptions,
  type TranscriptionServer,
} from './transcription-server.ts';

export const span = (startSeconds: number, endSeconds: number): Span => ({ startSeconds, endSeconds });

/** Hears one voice in each region of speech: alternating, with the region's number as embedding. */
export const alternatingVoices: SpeechEngine = {
  name: 'alternating',
  analyse: ({ speech }, { signal, onProgress }) => {
    signal.throwIfAborted();
    onProgress(1);
    return Promise.resolve({
      words: [{ text: 'ignored', ...span(0, 1) }],
      voices: speech.map((region, i): VoiceSegment => ({ ...region, localSpeaker: i % 2, embedding: [i] })),
    });
  },
  cluster: (windows) => Promise.resolve(windows.map((voices) => voices.map(({ localSpeaker }) => localSpeaker))),
};

/** Servers, audio and the engine for a test file. Everything is removed at its end. */
export function useOpenaiBench() {
  let folder = '';
  let servers: TranscriptionServer[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-openai-'));
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  return {
    serve: async (options: ServerOptions): Promise<TranscriptionServer> => {
      const server = await startTranscriptionServer(options);
      servers.push(server);
      return server;
    },
    /** A window of audio in which the seconds of its speech are said. */
    window: async (speech: readonly Span[], seconds = 60): Promise<AudioWindow> => {
      const wavPath = join(folder, `${String(Math.random()).slice(2)}.wav`);
      const spoken = speech.flatMap(({ startSeconds, endSeconds }) =>
        Array.from(
          { length: Math.ceil(endSeconds) - Math.floor(startSeconds) },
          (_, i) => Math.floor(startSeconds) + i,
        ),
      );
      await writeSpokenSeconds(wavPath, seconds, spoken);
      return { wavPath, speech, ...span(speech[0]!.startSeconds, speech.at(-1)!.endSeconds) };
    },
    engine: (settings: Partial<OpenaiSettings>, voices = alternatingVoices): SpeechEngine =>
      createOpenaiEngine(
        {
          baseUrl: 'http://127.0.0.1:9/v1',
          model: 'whisper-1',
          format: 'auto',
          maxRequestSeconds: 300,
          timeoutMs: 20_000,
          ...settings,
        },
        voices,
      ),
  };
}

export function analyse(
  engine: SpeechEngine,
  window: AudioWindow,
  { language, signal = new AbortController().signal }: { language?: string; signal?: AbortSignal } = {},
): Promise<WindowResult> {
  return engine.analyse(window, {
    ...(language === undefined ? {} : { language }),
    ...{ signal, onProgress: () => undefined },
  });
}
