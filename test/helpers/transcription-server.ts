import { open, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { BYTES_PER_SAMPLE, SAMPLE_RATE, WAV_HEADER_BYTES, wavHeader } from '../../speech/wav.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';

const SECOND_BYTES = SAMPLE_RATE * BYTES_PER_SAMPLE;

/**
 * Writes a WAV file whose samples say which second they belong to: those of second 7 are 8, silence is 0. So whoever gets a
 * part of it can tell which part.
 *
 * @param spoken which seconds are said; others are silent
 */
export async function writeSpokenSeconds(path: string, seconds: number, spoken: readonly number[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.write(wavHeader(seconds * SECOND_BYTES));
    // What is not written is zero, and takes no space: hours are made at once.
    await file.truncate(WAV_HEADER_BYTES + seconds * SECOND_BYTES);
    for (const second of spoken) await writeSecond(file, second);
  } finally {
    await file.close();
  }
}

async function writeSecond(file: FileHandle, second: number): Promise<void> {
  const samples = new Int16Array(SAMPLE_RATE).fill(second + 1);
  await file.write(Buffer.from(samples.buffer), 0, samples.byteLength, WAV_HEADER_BYTES + second * SECOND_BYTES);
}

/** @returns the seconds that are said in samples, with their time there */
export function spokenSecondsIn(samples: Int16Array): { second: number; startSeconds: number; endSeconds: number }[] {
  const heard: { second: number; startSeconds: number; endSeconds: number }[] = [];
  let from = 0;
  for (let at = 1; at <= samples.length; at += 1) {
    const value = samples[from] ?? 0;
    if (at < samples.length && samples[at] === value) continue;
    if (value > 0) heard.push({ second: value - 1, startSeconds: from / SAMPLE_RATE, endSeconds: at / SAMPLE_RATE });
    from = at;
  }
  return heard;
}

export type Product =
  'whisper-1' | 'gpt-4o-transcribe' | 'gpt-4o-transcribe-diarize' | 'whisper.cpp' | 'speaches' | 'vllm';

/** A request as the server read it. */
export interface Upload {
  readonly fields: Readonly<Record<string, string[]>>;
  readonly sizeBytes: number;
  readonly seconds: number;
  readonly samples: Int16Array;
}

export interface TranscriptionServer {
  readonly url: string;
  readonly uploads: Upload[];
  /** Requests whose connection was closed before they were answered. */
  readonly broken: () => number;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly product: Product;
  readonly key?: string;
  /** Answers instead of the transcription, when it returns true. */
  readonly instead?: (res: ServerResponse, upload: Upload) => boolean;
  /** Answers before the form was read, as a proxy does. */
  readonly before?: (req: IncomingMessage, res: ServerResponse) => boolean;
}

/** Hears the same in whatever it is sent. */
export function always(text: string): NonNullable<ServerOptions['instead']> {
  return (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ text }));
    return true;
  };
}

/** What is said in a second; lower-case words and marks, to tell lists of words from texts. */
const sayingOf = (second: number): string => (second % 2 === 0 ? `Word${second},` : `word${second}.`);

const FORMATS: Readonly<Record<Product, readonly string[]>> = {
  'whisper-1': ['json', 'verbose_json'],
  'gpt-4o-transcribe': ['json'],
  'gpt-4o-transcribe-diarize': ['json', 'diarized_json'],
  'whisper.cpp': ['json', 'verbose_json'],
  speaches: ['json', 'verbose_json'],
  vllm: ['json', 'verbose_json'],
};

/**
 * A server with the audio transcriptions API, in the shapes of several products. It reads the multipart form, looks
 * at the WAV file, and hears the seconds of spoken-seconds.ts. To `gpt-4o-transcribe-diarize` the first three of
 * ten seconds are speaker B, the others A.
 */
export async function startTranscriptionServer(options: ServerOptions): Promise<TranscriptionServer> {
  const uploads: Upload[] = [];
  let broken = 0;
  const server = await serveOnLoopback((req, res) => {
    res.on('error', () => undefined).on('close', () => (broken += res.writableFinished ? 0 : 1));
    if (options.before?.(req, res) === true) return;
    void answer(req, res).catch((error: unknown) => {
      if (!res.destroyed) fail(res, 400, { message: String(error), type: 'invalid_request_error', code: null });
    });
  });
  return { url: `${server.url}/v1`, uploads, broken: () => broken, stop: () => server.stop() };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<true> {
    if (req.method !== 'POST' || req.url !== '/v1/audio/transcriptions') {
      res.writeHead(404).end('{"detail":"Not Found"}');
      return true;
    }
    const upload = await read(req);
    if (options.key !== undefined && req.headers.authorization !== `Bearer ${options.key}`) {
      const said = req.headers.authorization?.slice('Bearer '.length) ?? 'none';
      return fail(res, 401, { message: `Incorrect API key provided: ${said}.`, code: 'invalid_api_key' });
    }
    uploads.push(upload);
    if (options.instead?.(res, upload) === true) return true;
    const [format = 'json'] = upload.fields['response_format'] ?? [];
    const [model] = upload.fields['model'] ?? [];
    const { product } = options;
    if (model !== product) return fail(res, 404, noModel(product, model));
    if (upload.sizeBytes > 25 * 1024 ** 2) return fail(res, 413, { message: 'Maximum content size limit exceeded' });
    if (!FORMATS[product].includes(format)) {
      const message = `response_format '${format}' is not compatible with model '${product}'. Use 'json' instead.`;
      return fail(res, 400, { message, param: 'response_format', code: 'unsupported_value' });
    }
    if (product === 'gpt-4o-transcribe-diarize' && upload.fields['chunking_strategy']?.[0] !== 'auto') {
      return fail(res, 400, { message: 'chunking_strategy is required for diarization models' });
    }
    const [language] = upload.fields['language'] ?? [];
    if (language === 'xx') return fail(res, 400, { message: "Invalid language 'xx'.", param: 'language' });
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(transcriptionOf(product, format, upload)));
    return true;
  }
}

/** @returns true: it was answered */
export function fail(res: ServerResponse, statusCode: number, error: unknown): true {
  res.writeHead(statusCode, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  return true;
}

function noModel(product: Product, model: string | undefined): unknown {
  const message = `The model \`${String(model)}\` does not exist or you do not have access to it.`;
  return product === 'whisper.cpp'
    ? 'model not found!'
    : { message, type: 'invalid_request_error', code: 'model_not_found' };
}

async function read(req: IncomingMessage): Promise<Upload> {
  const fields: Record<string, string[]> = {};
  const files: { name: string; chunks: Uint8Array[] }[] = [];
  const form = new Busboy({
    headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
  });
  form.on('field', (name, value) => (fields[name] ??= []).push(value));
  form.on('file', (field, stream, filename) => {
    const chunks: Uint8Array[] = [];
    stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    if (field === 'file') files.push({ name: filename, chunks });
  });
  await pipeline(req, form);
  const [file] = files;
  if (file === undefined || !file.name.endsWith('.wav')) throw new Error('no file');
  const wav = Buffer.concat(file.chunks);
  const data = wav.subarray(44);
  const isWav =
    wav.toString('latin1', 0, 4) === 'RIFF' &&
    wav.readUInt32LE(4) === wav.length - 8 &&
    wav.toString('latin1', 8, 16) === 'WAVEfmt ' &&
    [wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt32LE(28)].join() ===
      '1,1,16000,32000' &&
    [wav.readUInt16LE(32), wav.readUInt16LE(34)].join() === '2,16' &&
    wav.toString('latin1', 36, 40) === 'data' &&
    wav.readUInt32LE(40) === data.length;
  if (!isWav) throw new Error('Invalid file format.');
  const samples = new Int16Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
  return { fields, sizeBytes: wav.length, seconds: samples.length / 16_000, samples };
}

function transcriptionOf(product: Product, format: string, { samples, seconds, fields }: Upload): unknown {
  const heard = spokenSecondsIn(samples).map(({ second, startSeconds: start, endSeconds: end }) => ({
    ...{ second, start, end, said: sayingOf(second) },
  }));
  const text = heard.map(({ said }) => said).join(' ');
  if (format === 'json') return { text };
  const segments = heard.map(({ start, end, said }, id) => ({ id, seek: 0, start, end, text: ` ${said}` }));
  const usage = { type: 'duration', seconds: Math.ceil(seconds) };
  switch (product) {
    case 'whisper-1': {
      // Its words have no marks.
      const words = heard.map(({ start, end, said }) => ({ word: said.replace(/[.,]/, ''), start, end }));
      const granularities = fields['timestamp_granularities[]'] ?? [];
      const wanted = {
        ...(granularities.includes('word') ? { words } : {}),
        ...(granularities.includes('segment') ? { segments } : {}),
      };
      return { task: 'transcribe', language: 'english', duration: seconds, text, ...wanted, usage };
    }
    case 'gpt-4o-transcribe-diarize':
      return {
        ...{ task: 'transcribe', duration: seconds, text, usage },
        segments: heard.map(({ second, start, end, said }, id) => ({
          ...{ type: 'transcript.text.segment', id: `seg_${id}`, start, end, text: said },
          speaker: second % 10 < 3 ? 'B' : 'A',
        })),
      };
    case 'whisper.cpp':
      // Its words are tokens, nested, with marks of their own; its language is a name.
      return {
        ...{ task: 'transcribe', language: 'english', duration: seconds, text: ` ${text}` },
        segments: heard.map(({ start, end, said }, id) => ({
          ...{ id, start, end, text: ` ${said}`, tokens: [1, 2, 3] },
          words: [
            { word: ` ${said.slice(0, 3)}`, start, end: start + 0.5, t_dtw: -1, probability: 0.9 },
            { word: said.slice(3, -1), start: start + 0.5, end: end - 0.1, t_dtw: -1, probability: 0.9 },
            { word: said.slice(-1), start: end - 0.1, end, t_dtw: -1, probability: 0.9 },
          ],
        })),
      };
    case 'speaches':
      return {
        ...{ task: 'transcribe', language: 'en', duration: seconds, text, segments: [] },
        words: heard.map(({ start, end, said }) => ({ word: ` ${said}`, start, end, probability: 0.9 })),
      };
    case 'vllm':
      // Segments alone; some of its numbers are text.
      return { duration: String(seconds), language: 'en', text, segments };
    case 'gpt-4o-transcribe':
      throw new Error('refused before');
  }
}
