import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buildConnector, Client } from 'undici';
import { patient } from '../../outbound/connector.ts';
import { answerTo, beginningOf } from '../../outbound/read-response.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { retryAfterAtMs } from '../../runtime/retry-after.ts';

/** RFC 7578. */
export interface Form {
  /** Names and values must not need escaping. */
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
  /** The time limit of the whole request. A server sends nothing while it transcribes. */
  readonly timeoutMs: number;
  /** For connecting, and for each part of the form to be sent. */
  readonly stallTimeoutMs?: number;
}

export interface FormResponse {
  readonly statusCode: number;
  /** In milliseconds since the epoch. */
  readonly retryAtMs: number | undefined;
  readonly text: string;
}

export class PostTimeoutError extends Error {
  override readonly name = 'PostTimeoutError';
}

/** A response may take hours, but the server must accept the form without such delays. */
const STALL_TIMEOUT_MS = 60_000;
/** While the server transcribes, only TCP keep-alive probes detect that it has disappeared. */
const PROBE_AFTER_MS = 30_000;
/** Five minutes of speech are some hundred kilobytes, and parsing does not yield to the event loop. */
const ANSWER_MAX_BYTES = 1024 ** 2;

/** No redirects, proxies or retries. @throws PostTimeoutError; errors of reading the file and of the connection */
export async function postForm(url: URL, form: Form, options: PostOptions): Promise<FormResponse> {
  options.signal.throwIfAborted();
  const deadline = startDeadline({ ...options, late: () => new PostTimeoutError('no response in time') });
  const { signal } = deadline;
  const { stallTimeoutMs = STALL_TIMEOUT_MS } = options;
  const onStall = (): void => deadline.abort(new PostTimeoutError('the server does not read the form'));
  const stall = setTimeout(onStall, stallTimeoutMs);
  // A reused connection that the server closes at this moment would leave it open whether the request arrived.
  const dispatcher = new Client(url.origin, {
    connect: patient(buildConnector({ timeout: stallTimeoutMs, keepAliveInitialDelay: PROBE_AFTER_MS })),
    // The deadline replaces these two timeouts.
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
    // A server may reject the form before all of it is sent. The rest is not sent then.
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
    if (!isWhole) throw new Error(`the response is longer than ${ANSWER_MAX_BYTES} bytes`);
    const retryAtMs = retryAfterAtMs(headers['retry-after']?.toString());
    return { statusCode, retryAtMs, text: bytes.toString('utf8') };
  } catch (error) {
    // The error of a destroyed connection is less specific than the signal's reason.
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
