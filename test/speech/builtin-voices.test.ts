import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createBuiltinEngine } from '../../speech/builtin.ts';
import { findSpeech } from '../../speech/regions.ts';
import { cutWindows } from '../../speech/windows.ts';
import { analyse, useOpenaiBench } from '../helpers/openai-bench.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';

const bench = useSpeechTools();
const servers = useOpenaiBench();
const AUDIO = fileURLToPath(new URL('../../local/sandbox/catalogue/media/garden/140.m4a', import.meta.url));

it('hears the same voices without the words, of any language, for an engine that has words from a server', async () => {
  const wavPath = await bench.prepare(AUDIO);
  const { vadModel, python } = bench.tools;
  const { signal } = new AbortController();
  const regions = await findSpeech(wavPath, { vadModel, signal, timeoutMs: 60_000, onProgress: () => undefined });
  const [window] = cutWindows(regions, 8).map((one) => ({ ...one, wavPath }));
  const settings = { python, workFolder: bench.folder, timeoutMs: 120_000 };
  const whole = await analyse(createBuiltinEngine(settings), window!);
  const voicesOnly = createBuiltinEngine({ ...settings, words: false });
  expect(await analyse(voicesOnly, window!, { language: 'de' })).toEqual({ words: [], voices: whole.voices });

  const text = 'Guten Tag. Guten Morgen.';
  const server = await servers.serve({
    product: 'vllm',
    instead: (res) => (res.end(JSON.stringify({ text, language: 'de' })), true),
  });
  const engine = servers.engine({ baseUrl: server.url, model: 'vllm', format: 'json' }, voicesOnly);
  const result = await analyse(engine, window!, { language: 'de' });
  expect(result).toMatchObject({ language: 'de', voices: whole.voices });
  expect(result.words.map((word) => word.text)).toEqual(['Guten', 'Tag.', 'Guten', 'Morgen.']);
  const speakers = await engine.cluster([result.voices], { signal });
  expect(new Set(speakers.flat()).size).toBe(2);
}, 120_000);
