import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as requestByHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestByHttps } from 'node:https';
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
const HEADER_MAX_BYTES = 32_768;

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
  try {
    const { head, tail, boundary } = frameOf(form);
    const sent = (url.protocol === 'https:' ? requestByHttps : requestByHttp)(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': head.length + form.file.sizeBytes + tail.length,
        ...options.headers,
      },
      // A kept connection that the server closes just then would leave it open whether the request arrived.
      agent: false,
      maxHeaderSize: HEADER_MAX_BYTES,
      signal,
    });
    sent.once('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER_MS));
    sent.once('finish', () => clearTimeout(stall));
    // Whoever waits below hears of an error; one that nobody heard would end the process.
    sent.on('error', () => undefined);
    const answered = once(sent, 'response', { signal });
    let isAnswered = false;
    sent.once('response', () => {
      isAnswered = true;
      clearTimeout(stall);
    });
    // Whoever refuses the form does so before all of it is there. The rest is not sent then: the connection would break,
    // and the answer with it.
    const onTaken = (): unknown => stall.refresh();
    write(sent, [head, form.file.chunks(), tail], { signal, isAnswered: () => isAnswered, onTaken }).catch(
      (error: unknown) => {
        if (!isAnswered) sent.destroy(error instanceof Error ? error : new Error(String(error)));
      },
    );
    const [answer] = (await answered) as [IncomingMessage];
    return {
      statusCode: answer.statusCode ?? 0,
      retryAtMs: retryAfterAtMs(answer.headers['retry-after']),
      text: await textOf(answer),
    };
  } catch (error) {
    // What a destroyed connection throws says less.
    signal.throwIfAborted();
    throw error;
  } finally {
    deadline.end();
    clearTimeout(stall);
    deadline.abort();
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

async function write(
  sent: ClientRequest,
  [head, chunks, tail]: readonly [Uint8Array, AsyncIterable<Uint8Array>, Uint8Array],
  {
    signal,
    isAnswered,
    onTaken,
  }: { readonly signal: AbortSignal; readonly isAnswered: () => boolean; readonly onTaken: () => unknown },
): Promise<void> {
  sent.write(head);
  for await (const chunk of chunks) {
    if (isAnswered()) return;
    if (!sent.write(chunk)) await once(sent, 'drain', { signal });
    onTaken();
  }
  if (!isAnswered()) sent.end(tail);
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length;
    if (sizeBytes > ANSWER_MAX_BYTES) throw new Error(`the answer is longer than ${ANSWER_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
