import { open } from 'node:fs/promises';
import { Client, type Dispatcher } from 'undici';
import { startDeadline } from '../runtime/deadline.ts';
import { MEDIA_MINIMUM_RATE, detectStalls, type MinimumRate, type TooSlow } from '../runtime/stall-detector.ts';
import { createGuardedConnector, type GuardSettings, patient } from './connector.ts';
import { ForbiddenTargetError, NoAnswerError, unreachableCode, type UnreachableCode } from './request-failures.ts';
import { checkTarget } from './check-target.ts';

export interface DownloaderSettings extends GuardSettings {
  /** The longest silence before and within a response, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** The least transfer rate of a body. */
  readonly minimumRate?: MinimumRate;
}

export interface DownloadOptions {
  /** The path of the new file; it must not exist. After an error it may contain a part. */
  readonly path: string;
  readonly maxBytes: number;
  /** The limit of the whole download with its redirects, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called after each chunk; `totalBytes` is set if the server announced it. */
  readonly onProgress?: (bytes: number, totalBytes: number | undefined) => void;
}

interface DownloadedFile {
  readonly sizeBytes: number;
  /** Undefined without a length or chunked encoding: then a broken connection looks like the end of the body. */
  readonly cameWhole: true | undefined;
}

export type DownloadProblem =
  /** The URL, or one that it redirects to, is forbidden; the reason is a sentence. A retry cannot succeed. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  | { readonly kind: 'status'; readonly statusCode: number }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'too_slow' }
  /** The body is shorter than announced, or its length cannot be verified. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'unreachable'; readonly error: UnreachableCode };

/** Thrown when a download fails at the remote end. The message is for logs; it does not contain the URL, which may be signed. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly problem: DownloadProblem;

  constructor(problem: DownloadProblem, options?: ErrorOptions) {
    super(`download failed: ${JSON.stringify(problem)}`, options);
    this.problem = problem;
  }
}

/** @throws DownloadError; the signal's reason; errors of the file system */
export type Downloader = (url: string, options: DownloadOptions) => Promise<DownloadedFile>;

export const MEDIA_HOST_LIMITS = {
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
  minimumRate: MEDIA_MINIMUM_RATE,
} as const;

/** Some hosts respond with 403 to requests without a User-Agent. */
const USER_AGENT = 'Mozilla/5.0 (compatible; Tapedeck/1.0)';
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Each redirect passes the same guard as the first request. */
export function createDownloader(settings: DownloaderSettings): Downloader {
  return async (firstUrl, options) => {
    options.signal.throwIfAborted();
    const { signal, timeoutMs } = options;
    const deadline = startDeadline({ signal, timeoutMs, late: tooSlow });
    try {
      let url = firstUrl;
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
        const target = checkTarget(url, settings.allowedNetworks);
        if (!target.ok) throw new DownloadError({ kind: 'forbidden', reason: target.reason });
        const onSlow = (how: TooSlow): void => deadline.abort(how === 'stalled' ? stalled() : tooSlow());
        const hop = { ...settings, ...options, signal: deadline.signal, onSlow };
        const result = await take(target.url, hop);
        if ('sizeBytes' in result) return result;
        url = result.location;
      }
      throw new DownloadError({ kind: 'forbidden', reason: 'The URL redirects too often.' });
    } catch (error) {
      options.signal.throwIfAborted();
      throw error;
    } finally {
      deadline.end();
      // A socket may still be open or connecting.
      deadline.abort();
    }
  };
}

const stalled = (): Error => new NoAnswerError('timeout', 'Almost no bytes arrive.');
const tooSlow = (): DownloadError => new DownloadError({ kind: 'too_slow' });

type Hop = DownloaderSettings & DownloadOptions & { readonly onSlow: (how: TooSlow) => void };

/** Uses one connection per request, so that no check can be skipped. */
async function take(url: URL, hop: Hop): Promise<DownloadedFile | { readonly location: string }> {
  const client = new Client(url.origin, {
    connect: patient(createGuardedConnector(hop)),
    pipelining: 0,
    headersTimeout: hop.idleTimeoutMs,
    bodyTimeout: hop.idleTimeoutMs,
  });
  // The announced length of a compressed body differs from its content.
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': USER_AGENT };
  try {
    const answer = await client
      .request({ method: 'GET', path: url.pathname + url.search, headers, signal: hop.signal })
      .catch((error: unknown) => {
        throw problemOf(error, hop);
      });
    // The reader receives errors; without a listener, an error would end the process.
    answer.body.on('error', () => undefined);
    const { statusCode } = answer;
    if (statusCode === 200) return await write(answer, hop);
    const location = answer.headers['location']?.toString();
    if (!REDIRECTS.has(statusCode) || location === undefined) throw new DownloadError({ kind: 'status', statusCode });
    if (!URL.canParse(location, url.href))
      throw new DownloadError({ kind: 'forbidden', reason: 'The URL redirects to an invalid URL.' });
    return { location: new URL(location, url).href };
  } finally {
    void client.destroy();
  }
}

type Answer = Dispatcher.ResponseData<unknown>;

async function write(answer: Answer, hop: Hop): Promise<DownloadedFile> {
  const { path, maxBytes, onProgress, signal } = hop;
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new DownloadError({ kind: 'unreachable', error: 'protocol' });
  const totalBytes = lengthOf(answer);
  const hasEnd = totalBytes !== undefined || answer.headers['transfer-encoding'] !== undefined;
  if ((totalBytes ?? 0) > maxBytes) throw new DownloadError({ kind: 'too_large' });
  const file = await open(path, 'wx');
  let sizeBytes = 0;
  const stopWatching = hop.minimumRate && detectStalls({ rate: hop.minimumRate, bytes: () => sizeBytes }, hop.onSlow);
  try {
    for await (const chunk of chunksOf(answer.body, signal)) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new DownloadError({ kind: 'too_large' });
      await file.writeFile(chunk);
      onProgress?.(sizeBytes, totalBytes);
    }
    if (totalBytes !== undefined && sizeBytes !== totalBytes) throw new DownloadError({ kind: 'incomplete' });
    return { sizeBytes, cameWhole: hasEnd || undefined };
  } finally {
    stopWatching?.();
    await file.close();
  }
}

/** Classifies errors of the connection separately from those of the file. */
async function* chunksOf(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw problemOf(error, { signal, begun: true });
    });
    if (next.done === true) return;
    yield next.value;
  }
}

function lengthOf({ headers }: Answer): number | undefined {
  const length = headers['content-length']?.toString();
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** @returns the error of a socket as a DownloadError; the error itself if the cause is internal */
function problemOf(
  thrown: unknown,
  { signal, begun = false }: { readonly signal: AbortSignal; readonly begun?: boolean },
): unknown {
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (error instanceof ForbiddenTargetError) return new DownloadError({ kind: 'forbidden', reason: error.message });
  if (error instanceof DownloadError) return error;
  const code = unreachableCode(error);
  if (code === undefined) return error;
  // A timeout keeps its code; any other error after the start of a response means that the body is incomplete.
  const problem: DownloadProblem =
    begun && code !== 'timeout' ? { kind: 'incomplete' } : { kind: 'unreachable', error: code };
  return new DownloadError(problem, { cause: error });
}
