import { describe, expect, it } from 'vitest';
import type { JobError } from '../../runtime/job-error.ts';
import type { SpeechEngine } from '../../speech/speech-engine.ts';
import { alternatingVoices, analyse, span, useOpenaiBench } from '../helpers/openai-bench.ts';
import { fail, type Product, type ServerOptions } from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';

const bench = useOpenaiBench();
const replies = (statusCode: number, body: unknown, headers = {}): Pick<ServerOptions, 'instead'> => ({
  instead: (res) => {
    res.writeHead(statusCode, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    return true;
  },
});

async function failureOf(
  server: Partial<ServerOptions>,
  engine: Parameters<typeof bench.engine>[0] = {},
): Promise<JobError> {
  const { url } = await bench.serve({ product: 'whisper-1', ...server });
  const window = await bench.window([span(1, 3)]);
  return await analyse(bench.engine({ baseUrl: url, ...engine }), window, { language: 'xx' }).then(
    () => expect.unreachable(),
    (error: unknown) => error as JobError,
  );
}

describe('errors of a speech server', () => {
  it.each<[string, Partial<ServerOptions>, Parameters<typeof bench.engine>[0], object]>([
    ['a wrong key', { key: 'right' }, { apiKey: 'wrong' }, { code: 'tool_missing', message: /SPEECH_OPENAI_KEY/ }],
    ['no key', { key: 'right' }, {}, { code: 'tool_missing', message: /SPEECH_OPENAI_KEY/ }],
    ['an unknown model', {}, { model: 'x' }, { code: 'tool_missing', message: /SPEECH_OPENAI_MODEL/ }],
    [
      'a model of another project',
      replies(403, { error: { message: 'Project does not have access to model `x`', code: 'model_not_found' } }),
      {},
      { code: 'tool_missing', message: /SPEECH_OPENAI_MODEL/ },
    ],
    [
      'a model that is not installed (speaches)',
      replies(404, { detail: "Model 'x' is not installed locally." }),
      {},
      { code: 'tool_missing', message: /SPEECH_OPENAI_MODEL/ },
    ],
    [
      'another address',
      replies(404, 'File Not Found (/v1)'),
      {},
      { code: 'tool_missing', message: /SPEECH_OPENAI_URL/ },
    ],
    [
      'a redirect',
      replies(301, '', { location: 'https://x.test' }),
      {},
      { code: 'tool_missing', message: /SPEECH_OPENAI_URL/ },
    ],
    [
      'a form of answer that the model does not give',
      { product: 'gpt-4o-transcribe' },
      { model: 'gpt-4o-transcribe', format: 'verbose_json' },
      { code: 'tool_missing', message: /SPEECH_OPENAI_FORMAT/ },
    ],
    [
      'a server that tells no speakers',
      replies(200, { text: 'a', segments: [{ start: 0, end: 1, text: 'a' }] }),
      { format: 'diarized_json' },
      { code: 'tool_missing', message: /SPEECH_OPENAI_FORMAT/ },
    ],
    ['an unknown language', {}, {}, { code: 'unsupported' }],
    [
      'an unknown language (vLLM)',
      replies(400, { error: { message: "Unsupported language: 'xx'. Must be one of ['en']", code: 400 } }),
      {},
      { code: 'unsupported' },
    ],
    [
      'too much',
      replies(413, 'Request Entity Too Large'),
      {},
      { code: 'tool_missing', message: /SPEECH_OPENAI_MAX_SECONDS/ },
    ],
    [
      'too long',
      replies(400, {
        error: { message: 'audio duration 1500 seconds is longer than 1400 seconds which is the maximum' },
      }),
      {},
      { code: 'tool_missing', message: /SPEECH_OPENAI_MAX_SECONDS/ },
    ],
    [
      'an account without money',
      replies(429, { error: { code: 'insufficient_quota' } }),
      {},
      { code: 'quota_exceeded' },
    ],
    ['a fault', replies(500, { error: 'failed to process audio' }), {}, { code: 'upstream_error' }],
    ['a proxy without its server', replies(502, '<html>'), {}, { code: 'upstream_error' }],
    ['a proxy that waited in vain', replies(504, ''), {}, { code: 'upstream_timeout' }],
    [
      'an error as 200 (vLLM)',
      replies(200, { error: { message: 'engine is dead', code: 500 } }),
      {},
      { code: 'upstream_error' },
    ],
    [
      'a refusal as 200 (vLLM)',
      replies(200, { error: { message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 } }),
      {},
      { code: 'tool_missing', message: /SPEECH_OPENAI_MODEL/ },
    ],
    ['what is no JSON', replies(200, '<html>'), {}, { code: 'upstream_error' }],
    ['what is no transcription', replies(200, { status: 'ok' }), {}, { code: 'upstream_error' }],
    ['another refusal', replies(422, { detail: [] }), {}, { code: 'internal' }],
    ['nobody there', {}, { baseUrl: 'http://127.0.0.1:9/v1' }, { code: 'upstream_error' }],
  ])('%s', async (_what, server, engine, { message, ...expected }: { message?: RegExp }) => {
    const failure = await failureOf(server, engine);
    expect(failure).toMatchObject(expected);
    expect(failure.message).toMatch(message ?? /./);
  });

  it('removes the API key from error messages', async () => {
    const failure = await failureOf({ key: 'right' }, { apiKey: 'the-secret-key' });
    expect((failure.cause as Error).message).toContain('Incorrect API key provided: …');
  });

  it('returns the time of Retry-After', async () => {
    const failure = await failureOf(
      replies(429, { error: { message: 'Rate limit reached' } }, { 'retry-after': '20' }),
    );
    expect(failure.code).toBe('rate_limited');
    expect(Math.abs((failure.retryAtMs ?? 0) - Date.now() - 20_000)).toBeLessThan(5_000);
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000);
    expect((await failureOf(replies(503, '', { 'retry-after': at.toUTCString() }))).retryAtMs).toBe(at.getTime());
  });

  it('does not retry', async () => {
    let requests = 0;
    await failureOf({ before: (_req, res) => ((requests += 1), fail(res, 503, 'busy'), true) });
    expect(requests).toBe(1);
  });

  it.each([
    ['before', (product: Product): ServerOptions => ({ product, instead: (res) => (res.destroy(), true) })],
    [
      'within',
      (product: Product): ServerOptions => ({
        product,
        instead: (res) => {
          res.writeHead(200, { 'content-length': '100' }).write('{"text": "a');
          setTimeout(() => res.destroy(), 20);
          return true;
        },
      }),
    ],
  ])('takes a connection that is cut %s the answer for a fault of the server', async (_when, options) => {
    expect(await failureOf(options('whisper-1'))).toMatchObject({ code: 'upstream_error' });
  });

  it('reads an error response that arrives before the upload is complete', async () => {
    const window = await bench.window([span(0, 290)], 300);
    const { url } = await bench.serve({
      product: 'whisper-1',
      before: (req, res) => {
        req.pause();
        fail(res, 401, 'no');
        return true;
      },
    });
    await expect(analyse(bench.engine({ baseUrl: url }), window)).rejects.toMatchObject({ code: 'tool_missing' });
  });

  it('rejects a response above the size limit', async () => {
    const failure = await failureOf(replies(200, JSON.stringify({ text: 'a'.repeat(17 * 1024 ** 2) })));
    expect(failure).toMatchObject({ code: 'upstream_error', cause: { message: /longer than/ } });
  });

  it('times out', async () => {
    const failure = await failureOf({ instead: () => true }, { timeoutMs: 100 });
    expect(failure).toMatchObject({ code: 'upstream_timeout' });
  });

  it('cancels the other engine when it is cancelled', async () => {
    const abort = new AbortController();
    const voices: SpeechEngine = {
      ...alternatingVoices,
      analyse: (_window, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          abort.abort(new Error('cancelled by the test'));
        }),
    };
    const running = analyse(bench.engine({}, voices), await bench.window([span(1, 3)]), abort);
    await expect(running).rejects.toThrow('cancelled by the test');
  });

  it('cancels the request when it is cancelled', async () => {
    const server = await bench.serve({ product: 'whisper-1', instead: () => true });
    const abort = new AbortController();
    const running = analyse(bench.engine({ baseUrl: server.url }), await bench.window([span(1, 3)]), abort);
    const ending = expect(running).rejects.toThrow('cancelled by the test');
    await until(() => server.uploads.length === 1);
    abort.abort(new Error('cancelled by the test'));
    await ending;
    await until(() => server.broken() === 1, { what: 'the end of the request' });
  });

  it('sends no request when the other engine fails', async () => {
    const server = await bench.serve({ product: 'whisper-1', instead: () => true });
    const voices: SpeechEngine = { ...alternatingVoices, analyse: () => Promise.reject(new Error('no voices')) };
    const running = analyse(bench.engine({ baseUrl: server.url }, voices), await bench.window([span(1, 3)]));
    await expect(running).rejects.toThrow('no voices');
    expect(server.uploads).toEqual([]);
  });
});
