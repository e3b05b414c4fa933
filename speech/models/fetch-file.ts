import { createWriteStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EnvHttpProxyAgent, fetch, type Dispatcher, type Response } from 'undici';

const CONNECT_TIMEOUT_MS = 10_000;
const STALL_TIMEOUT_MS = 60_000;
/** In a row without a single byte. */
const MOST_FAILURES = 4;
const PAUSE_MS = 500;

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** Called with what is there, and with how much it will be where the server tells it. */
  readonly onProgress: (doneBytes: number, wholeBytes: number | undefined) => void;
}

/** The server says no; trying again is useless. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} answered ${status}`);
    this.status = status;
  }
}

/**
 * Downloads a file and goes on where an earlier attempt, also one of an earlier run, was cut (RFC 9110, 13.1.5 and 14.2).
 * What is there so far is `FILE.part`. Honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
 *
 * @returns the path of the part, which is whole now. The caller checks it, and removes it or gives it its name
 * @throws {RefusedError}; an error that names the host; the signal's reason
 */
export async function fetchFile(url: string, file: string, options: FetchOptions): Promise<string> {
  const part = `${file}.part`;
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: STALL_TIMEOUT_MS,
    bodyTimeout: STALL_TIMEOUT_MS,
  });
  try {
    for (let failures = 0; ;) {
      const before = await sizeOf(part);
      try {
        await fetchRest(url, part, { ...options, dispatcher });
        return part;
      } catch (error) {
        options.signal.throwIfAborted();
        if (error instanceof RefusedError || isLocal(error)) throw error;
        failures = (await sizeOf(part)) > before ? 1 : failures + 1;
        if (failures >= MOST_FAILURES) throw unreachable(url, error);
        await delay(PAUSE_MS * failures, undefined, { signal: options.signal });
      }
    }
  } finally {
    await dispatcher.close();
  }
}

async function fetchRest(
  url: string,
  part: string,
  { signal, onProgress, dispatcher }: FetchOptions & { readonly dispatcher: Dispatcher },
): Promise<void> {
  const validator = await readValidator(part, url);
  const had = validator === undefined ? 0 : await sizeOf(part);
  const response = await fetch(url, {
    ...{ dispatcher, signal },
    headers: {
      // A coded body could not be continued by bytes.
      'accept-encoding': 'identity',
      ...(had > 0 && validator !== undefined ? { range: `bytes=${had}-`, 'if-range': validator } : {}),
    },
  });
  if (response.status === 416) {
    await response.body?.cancel();
    // An earlier run fetched all of it and could not use it, for want of room perhaps.
    if (response.headers.get('content-range') === `bytes */${had}`) return;
    await forget(part);
    throw new Error('the part does not fit to the file any more');
  }
  if ((response.status !== 200 && response.status !== 206) || response.body === null) {
    await response.body?.cancel();
    throw new RefusedError(url, response.status);
  }
  const isRest = response.status === 206;
  const range = contentRange(response);
  if (isRest && range?.firstByte !== had) {
    await response.body.cancel();
    await forget(part);
    throw new Error('the server sent another part than was asked for');
  }
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const whole = isRest ? range?.wholeBytes : Number.isNaN(length) ? undefined : length;
  if (!isRest) {
    await rm(part, { force: true });
    await rememberValidator(part, url, response);
  }
  let done = isRest ? had : 0;
  onProgress(done, whole);
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, next): void {
      done += chunk.length;
      onProgress(done, whole);
      next(null, chunk);
    },
  });
  // Written as it comes, so that a cut loses no more than what waits to be written.
  await pipeline(Readable.fromWeb(response.body), meter, createWriteStream(part, { flags: isRest ? 'a' : 'w' }), {
    signal,
  });
  if (whole !== undefined && done !== whole) throw new Error(`the body was cut short at ${done} of ${whole} bytes`);
}

function contentRange(response: Response): { firstByte: number; wholeBytes: number } | undefined {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
  return match === null ? undefined : { firstByte: Number(match[1]), wholeBytes: Number(match[2]) };
}

/** Only a strong one says that the bytes are the same (RFC 9110, 13.1.5). */
async function rememberValidator(part: string, url: string, response: Response): Promise<void> {
  const etag = response.headers.get('etag');
  const validator = etag !== null && !etag.startsWith('W/') ? etag : response.headers.get('last-modified');
  if (validator === null) await rm(noteOf(part), { force: true });
  else await writeFile(noteOf(part), JSON.stringify({ url, validator }));
}

async function readValidator(part: string, url: string): Promise<string | undefined> {
  try {
    const note = JSON.parse(await readFile(noteOf(part), 'utf8')) as { url?: unknown; validator?: unknown };
    return note.url === url && typeof note.validator === 'string' ? note.validator : undefined;
  } catch {
    // No note, or half of one: the file is fetched anew.
    return undefined;
  }
}

/** Removes what is there of a file. */
export async function forget(part: string): Promise<void> {
  await Promise.all([part, noteOf(part)].map((path) => rm(path, { force: true })));
}

function noteOf(part: string): string {
  return `${part}.json`;
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The disk and not the network. */
function isLocal(error: unknown): boolean {
  return ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function unreachable(url: string, error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`cannot fetch ${url} (${reason}); the next run goes on from here`, { cause: error });
}
