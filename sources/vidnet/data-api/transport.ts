import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { answerTo, beginningOf, connectionCode, connectionsWith, isTimeoutCode } from '../../../outbound/answers.ts';

/**
 * Most bytes of an answer after decompression: it is parsed in one turn of the event loop. 100 threads with five replies each,
 * all of 2,500 letters, stay below.
 */
const MAX_ANSWER_BYTES = 6 * 1024 ** 2;
/** The second is as long as the client waits for a whole answer. */
const LIMITS = { connectTimeoutMs: 10_000, idleTimeoutMs: 30_000 };

const unzip = promisify(gunzip);

/** An answer did not arrive whole. `detail` names no address and no key. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'unreachable' | 'timeout' | 'too_large';

  constructor(kind: TransportError['kind'], detail: string) {
    super(detail);
    this.kind = kind;
  }
}

export interface DataApiSettings {
  readonly key: string;
  /** Base address: `/youtube/v3/…` is below it. */
  readonly rootUrl: string;
}

/** Lists that the API has. */
export type Resource = 'channels' | 'commentThreads' | 'comments' | 'playlistItems' | 'videos';
/** Query parameters; a list is sent as one, separated by commas, and undefined is left out. */
export type Params = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface TransportAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/**
 * Sends requests of the Data API v3 and reads their answers, whatever their status. No redirect is followed: that would carry
 * the key to wherever it leads.
 *
 * @throws TransportError when no whole answer came; the key is in no error
 */
export function createTransport({ key, rootUrl }: DataApiSettings) {
  const base = `${rootUrl.replace(/\/$/, '')}/youtube/v3/`;
  const dispatcher = connectionsWith(LIMITS);
  return async (resource: Resource, params: Params, signal: AbortSignal): Promise<TransportAnswer> => {
    const url = new URL(resource, base);
    for (const [name, value] of Object.entries(params)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    url.searchParams.set('key', key);
    try {
      const asked = { accept: 'application/json', 'accept-encoding': 'gzip' };
      const { statusCode: status, headers, body } = await answerTo(url, { dispatcher, headers: asked, signal });
      const text = (await readBounded(body, headers['content-encoding'])).toString('utf8');
      // Texts of errors end up in logs, and a server may repeat what it was asked.
      return {
        status,
        retryAfter: headers['retry-after']?.toString(),
        text: status < 300 ? text : text.replaceAll(key, '[key]'),
      };
    } catch (error) {
      if (error instanceof TransportError) throw error;
      throw new TransportError(isTimeoutCode(connectionCode(error)) ? 'timeout' : 'unreachable', describe(error));
    }
  };
}

/** Reads as fast as the answer comes, and unpacks it only then. */
async function readBounded(body: AsyncIterable<Uint8Array>, encoding: unknown): Promise<Buffer> {
  const { bytes, isWhole } = await beginningOf(body, MAX_ANSWER_BYTES);
  if (!isWhole) throw tooLarge();
  if (encoding !== 'gzip' || bytes.length === 0) return bytes;
  return unzip(bytes, { maxOutputLength: MAX_ANSWER_BYTES }).catch((error: unknown) => {
    throw connectionCode(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error;
  });
}

function tooLarge(): TransportError {
  return new TransportError('too_large', 'the answer is longer than any real one');
}

/** Class and code only: messages of network errors may repeat the URL, and with it the key. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  return `the connection failed: ${[error.name, connectionCode(error) ?? ''].join(' ').trim()}`;
}
