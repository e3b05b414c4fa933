import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { alternatingVoices, analyse, span, useOpenaiBench } from '../helpers/openai-bench.ts';
import type { Product } from '../helpers/transcription-server.ts';

const bench = useOpenaiBench();
const said = (seconds: readonly number[]): string[] => seconds.map((s) => (s % 2 === 0 ? `Word${s},` : `word${s}.`));

describe('the openai engine', () => {
  it.each<[Product, string | undefined]>([
    ['whisper-1', 'en'],
    ['whisper.cpp', 'en'],
    ['speaches', 'en'],
    ['vllm', 'en'],
    ['gpt-4o-transcribe', undefined],
    ['gpt-4o-transcribe-diarize', undefined],
  ])('reads the responses of %s and returns times in the whole audio', async (product, language) => {
    const server = await bench.serve({ product });
    const window = await bench.window([span(10, 12), span(20, 23)]);
    const result = await analyse(bench.engine({ baseUrl: server.url, model: product }), window);
    expect(result.words.map(({ text }) => text)).toEqual(said([10, 11, 20, 21, 22]));
    for (const [i, second] of [10, 11, 20, 21, 22].entries()) {
      const { startSeconds, endSeconds } = result.words[i]!;
      expect(startSeconds).toBeCloseTo(second, 6);
      expect(endSeconds).toBeCloseTo(second + 1, 6);
    }
    expect(result.language).toBe(language);
    expect(server.uploads.map(({ seconds }) => seconds)).toEqual([13]);
  });

  it('has a name with the model and the other engine', () => {
    expect(bench.engine({ model: 'large-v3' }).name).toBe('openai:large-v3+alternating');
  });

  it('requests the format of the model or the configured one', async () => {
    const server = await bench.serve({ product: 'whisper-1' });
    const window = await bench.window([span(1, 3)]);
    await analyse(bench.engine({ baseUrl: server.url }), window, { language: 'pt-BR' });
    await analyse(bench.engine({ baseUrl: `${server.url}/`, format: 'json' }), window);
    expect(server.uploads.map(({ fields }) => fields)).toEqual([
      {
        model: ['whisper-1'],
        response_format: ['verbose_json'],
        language: ['pt'],
        'timestamp_granularities[]': ['word', 'segment'],
      },
      { model: ['whisper-1'], response_format: ['json'] },
    ]);
  });

  it('sends the configured key', async () => {
    const server = await bench.serve({ product: 'whisper-1', key: 'secret-key' });
    const engine = bench.engine({ baseUrl: server.url, apiKey: 'secret-key' });
    expect((await analyse(engine, await bench.window([span(1, 3)]))).words).toHaveLength(2);
  });

  it('splits audio at pauses if it exceeds the limit of a request', async () => {
    const server = await bench.serve({ product: 'whisper-1' });
    const window = await bench.window([span(2, 12), span(20, 40), span(41, 50), span(55, 58)]);
    const shares: number[] = [];
    const engine = bench.engine({ baseUrl: server.url, maxRequestSeconds: 30 });
    const { words } = await engine.analyse(window, {
      signal: new AbortController().signal,
      onProgress: (share) => shares.push(share),
    });
    expect(server.uploads.map(({ seconds }) => seconds)).toEqual([10, 30, 3]);
    expect(words.map(({ startSeconds }) => startSeconds)).toEqual(
      window.speech.flatMap(({ startSeconds, endSeconds }) =>
        Array.from({ length: endSeconds - startSeconds }, (_, i) => startSeconds + i),
      ),
    );
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.length).toBe(4);
    expect(shares.at(-1)).toBeCloseTo(1, 9);
  });

  it('sends short parts if the response has no times', async () => {
    const server = await bench.serve({ product: 'gpt-4o-transcribe' });
    const window = await bench.window([span(0, 20), span(22, 42), span(44, 60)]);
    const { words } = await analyse(bench.engine({ baseUrl: server.url, model: 'gpt-4o-transcribe' }), window);
    expect(server.uploads.map(({ seconds }) => seconds)).toEqual([20, 20, 16]);
    expect(words).toHaveLength(56);
    for (const { text, startSeconds } of words) {
      expect(Math.abs(startSeconds - Number(/\d+/.exec(text)![0]))).toBeLessThan(1.5);
    }
  });

  it('pads audio that is too short for servers with silence', async () => {
    const server = await bench.serve({ product: 'whisper-1' });
    const { words } = await analyse(bench.engine({ baseUrl: server.url }), await bench.window([span(4, 4.1)]));
    expect(server.uploads.map(({ seconds }) => seconds)).toEqual([1.5]);
    expect(words).toEqual([{ text: 'Word4,', ...span(4, 4.1) }]);
  });

  it('returns the voices and speakers of the other engine', async () => {
    const server = await bench.serve({ product: 'whisper-1' });
    const engine = bench.engine({ baseUrl: server.url });
    const { voices } = await analyse(engine, await bench.window([span(1, 3), span(5, 6)]));
    expect(voices).toEqual([
      { ...span(1, 3), localSpeaker: 0, embedding: [0] },
      { ...span(5, 6), localSpeaker: 1, embedding: [1] },
    ]);
    expect(await engine.cluster([voices], { signal: new AbortController().signal })).toEqual([[0, 1]]);
  });

  it('returns the speakers of a diarizing server with embeddings of the other engine', async () => {
    const server = await bench.serve({ product: 'gpt-4o-transcribe-diarize' });
    const engine = bench.engine({ baseUrl: server.url, model: 'gpt-4o-transcribe-diarize', maxRequestSeconds: 30 });
    // B speaks in the first three of ten seconds, A in the others.
    const { voices } = await analyse(
      engine,
      await bench.window([span(11, 13), span(17, 19), span(52, 53), span(54, 55)]),
    );
    // Each speaker has the mean of the embeddings of the two regions.
    expect(voices).toEqual([
      { ...span(11, 12), localSpeaker: 0, embedding: [1] },
      { ...span(12, 13), localSpeaker: 0, embedding: [1] },
      { ...span(17, 18), localSpeaker: 1, embedding: [2] },
      { ...span(18, 19), localSpeaker: 1, embedding: [2] },
      { ...span(52, 53), localSpeaker: 0, embedding: [1] },
      { ...span(54, 55), localSpeaker: 1, embedding: [2] },
    ]);
    // The whole window is one request, because the letters of another request would have another meaning.
    expect(server.uploads.map(({ seconds }) => seconds)).toEqual([44]);
  });

  it('reads only the part of a long file that it sends', async () => {
    const server = await bench.serve({ product: 'whisper-1' });
    const window = await bench.window([span(30_000, 30_001), span(30_290, 30_291)], 36_000);
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const { words } = await analyse(bench.engine({ baseUrl: server.url }), window);
    clearInterval(watch);
    expect(words.map(({ startSeconds }) => startSeconds)).toEqual([30_000, 30_290]);
    expect(server.uploads.map(({ seconds }) => seconds)).toEqual([291]);
    // The file has 1.15 GB. The measured memory includes the server, which runs in this process and copies the 9.3 MB.
    expect(peak - before).toBeLessThan(250 * 1024 ** 2);
  });

  it('closes its files', async () => {
    const server = await bench.serve({
      product: 'whisper-1',
      before: (_req, res) => {
        res.writeHead(413).end('{"error":"too large"}');
        return true;
      },
    });
    const window = await bench.window([span(0, 290)], 300);
    await analyse(bench.engine({ baseUrl: server.url }), window).catch(() => undefined);
    const before = (await readdir('/proc/self/fd')).length;
    for (let i = 0; i < 5; i += 1) {
      await expect(analyse(bench.engine({ baseUrl: server.url }), window)).rejects.toMatchObject({
        code: 'tool_missing',
      });
    }
    expect((await readdir('/proc/self/fd')).length).toBeLessThan(before + 5);
  });

  it('returns the requested language if the server returns none', async () => {
    const server = await bench.serve({ product: 'gpt-4o-transcribe' });
    const engine = bench.engine({ baseUrl: server.url, model: 'gpt-4o-transcribe' }, alternatingVoices);
    const { language } = await analyse(engine, await bench.window([span(1, 3)]), { language: 'de' });
    expect(language).toBe('de');
    expect(server.uploads[0]!.fields['language']).toEqual(['de']);
  });
});
