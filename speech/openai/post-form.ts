import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Client } from 'undici';
import { answerTo, beginningOf } from '../../outbound/read-response.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { retryAfterAtMs } from '../../runtime/retry-after.ts';

/** A multipart form (RFC 7578) with one file. */
export interface Form {
  /** Names and values of our own making: nothing in them is escaped. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly file: {
    readonly name: string;
    readonly type: string;
    readonly sizeBytes: number;
    readonly chunks: () => AsyncIterable<Uint8Array>;
  };
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Limit of the whole exchange: nothing is heard of a server while it works. */
  readonly timeoutMs: number;
  /** Limit of connecting, and longest wait for the server to take more of the form; in milliseconds. */
  readonly stallTimeoutMs?: number;
}

export interface Answer {
  readonly statusCode: number;
  /** As Retry-After says it; epoch, milliseconds. */
  readonly retryAtMs: number | undefined;
  readonly text: string;
}

/** The exchange took longer than its limit. */
export class PostTimeoutError extends Error {
  override readonly name = 'PostTimeoutError';
}

/** Hours may pass before an answer, but not before a form is taken. */
const STALL_TIMEOUT_MS = 60_000;
/** While the server works, only the system's own probes tell that it is still there. */
const PROBE_AFTER_MS = 30_000;
/** Five minutes of speech are some hundred kilobytes, also with a number for each token; parsed in one turn of the event loop. */
const ANSWER_MAX_BYTES = 1024 ** 2;

/**
 * Posts a form once, over a connection of its own, and reads the answer as text. No redirects, no proxy, no repetition.
 *
 * @throws PostTimeoutError; the signal's reason; what the file threw; what the connection threw
 */
export async function postForm(url: URL, form: Form, options: PostOptions): Promise<Answer> {
  options.signal.throwIfAborted();
  const deadline = startDeadline({ ...options, late: () => new PostTimeoutError('no answer in time') });
  const { signal } = deadline;
  const { stallTimeoutMs = STALL_TIMEOUT_MS } = options;
  const onStall = (): void => deadline.abort(new PostTimeoutError('the server does not take the form'));
  const stall = setTimeout(onStall, stallTimeoutMs);
  // Of its own: a kept connection that the server closes just then would leave it open whether the request arrived.
  const dispatcher = new Client(url.origin, {
    connect: { timeout: stallTimeoutMs, keepAliveInitialDelay: PROBE_AFTER_MS },
    // The deadline stands in for these two.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const { head, tail, boundary } = frameOf(form);
    const content = async function* (): AsyncGenerator<Uint8Array> {
      yield head;
      for await (const chunk of form.file.chunks()) {
        stall.refresh();
        yield chunk;
      }
      yield tail;
      clearTimeout(stall);
    };
    // Whoever refuses the form does so before all of it is there. The rest is not sent then.
    const { statusCode, headers, body } = await answerTo(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(head.length + form.file.sizeBytes + tail.length),
        ...options.headers,
      },
      body: Readable.from(content(), { objectMode: false }),
      dispatcher,
      signal,
    });
    clearTimeout(stall);
    const { bytes, isWhole } = await beginningOf(body, ANSWER_MAX_BYTES);
    if (!isWhole) throw new Error(`the answer is longer than ${ANSWER_MAX_BYTES} bytes`);
    const retryAtMs = retryAfterAtMs(headers['retry-after']?.toString());
    return { statusCode, retryAtMs, text: bytes.toString('utf8') };
  } catch (error) {
    // What a destroyed connection throws says less.
    signal.throwIfAborted();
    throw error;
  } finally {
    deadline.end();
    clearTimeout(stall);
    void dispatcher.destroy();
  }
}

function frameOf({ fields, file }: Form): { head: Buffer; tail: Buffer; boundary: string } {
  const boundary = `form-${randomUUID()}`;
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const opening =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\n` +
    `Content-Type: ${file.type}\r\n\r\n`;
  return {
    head: Buffer.from(parts.join('') + opening),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
    boundary,
  };
}
