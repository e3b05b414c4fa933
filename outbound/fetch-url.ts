import { closeSync, openSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher, Response } from 'undici';
import { detectStalls, type MinimumRate } from '../runtime/stall-detector.ts';
import { z } from 'zod';
import { parseJson } from '../runtime/parse-json.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const STALL_TIMEOUT_MS = 60_000;
const LEAST_RATE = { bytes: 64 * 1024, windowMs: 60_000 };
const PAUSE_MS = 500;

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** The number of consecutive attempts that may fail without receiving a byte. */
  readonly mostFailures: number;
  readonly minimumRate?: MinimumRate;
  /** The media type for the Accept header, if a server offers several. */
  readonly accept?: string | undefined;
  /** Called with the number of received bytes, and with the total if the server announces it. */
  readonly onProgress?: (doneBytes: number, wholeBytes: number | undefined) => void;
}

/** Thrown when the server refuses the request. A retry cannot succeed. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} answered ${status}`);
    this.status = status;
  }
}

class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** The cause, such as `connect ECONNREFUSED 127.0.0.1:1`. */
  readonly reason: string;

  constructor(url: string, cause: unknown) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const reason = inner instanceof Error ? inner.message : String(inner);
    super(`cannot fetch ${url} (${reason}); the next run continues from here`, { cause });
    this.reason = reason;
  }
}

/**
 * Downloads a file of a known publisher, and resumes an earlier attempt that was cut off, also one of an earlier process (RFC 9110, 13.1.5 and 14.2).
 * The partial content is in `FILE.part`. The function honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY. For URLs from
 * untrusted sources, use download.ts, which checks their targets.
 *
 * @returns the path of the complete `.part` file. The caller verifies it, and removes or renames it
 * @throws {RefusedError}; {UnreachableError}; the signal's reason; errors of the file system
 */
export async function fetchFile(url: string, file: string, options: FetchOptions): Promise<string> {
  const part = `${file}.part`;
  const { EnvHttpProxyAgent } = await import('undici');
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
        failures = !(error instanceof TooSlowError) && (await sizeOf(part)) > before ? 1 : failures + 1;
        if (failures >= options.mostFailures) throw new UnreachableError(url, error);
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
  options: FetchOptions & { readonly dispatcher: Dispatcher },
): Promise<void> {
  const { accept, onProgress, dispatcher, minimumRate = LEAST_RATE } = options;
  const slow = new AbortController();
  const signal = AbortSignal.any([options.signal, slow.signal]);
  const validator = await readValidator(part, url);
  const had = validator === undefined ? 0 : await sizeOf(part);
  // Bytes cannot continue a compressed body.
  const headers = {
    'accept-encoding': 'identity',
    ...(accept !== undefined && { accept }),
    ...(had > 0 && validator !== undefined && { range: `bytes=${had}-`, 'if-range': validator }),
  };
  const { fetch } = await import('undici');
  const response = await fetch(url, { dispatcher, signal, headers });
  if (response.status === 416) {
    await response.body?.cancel();
    // An earlier run downloaded all of it and could not use it, for example for lack of disk space.
    if (response.headers.get('content-range') === `bytes */${had}`) return;
    await forget(part);
    throw new Error('the partial download does not match the file any more');
  }
  if ((response.status !== 200 && response.status !== 206) || response.body === null) {
    await response.body?.cancel();
    throw new RefusedError(url, response.status);
  }
  const isRest = response.status === 206;
  const [, firstByte, rangeBytes] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  if (isRest && Number(firstByte) !== had) {
    await response.body.cancel();
    await forget(part);
    throw new Error('the server sent another range than requested');
  }
  const announced = Number((isRest ? rangeBytes : response.headers.get('content-length')) ?? Number.NaN);
  const whole = Number.isNaN(announced) ? undefined : announced;
  if (!isRest) {
    await rm(part, { force: true });
    await rememberValidator(part, url, response);
  }
  let done = isRest ? had : 0;
  onProgress?.(done, whole);
  const out = openSync(part, isRest ? 'a' : 'w');
  const stopWatching = detectStalls({ rate: minimumRate, bytes: () => done }, () =>
    slow.abort(new TooSlowError('almost no bytes arrive')),
  );
  try {
    for await (const chunk of response.body) {
      // Each chunk is written at once, so that an interruption loses nothing.
      writeFileSync(out, chunk as Uint8Array);
      done += (chunk as Uint8Array).length;
      onProgress?.(done, whole);
    }
  } finally {
    stopWatching();
    closeSync(out);
  }
  if (whole !== undefined && done !== whole) throw new Error(`the body was cut short at ${done} of ${whole} bytes`);
}

/** Only a strong ETag guarantees that the bytes are identical (RFC 9110, 13.1.5). */
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
    // The validator is missing or incomplete, so the download starts again.
    return undefined;
  }
}

export async function forget(part: string): Promise<void> {
  await Promise.all([part, noteOf(part)].map((path) => rm(path, { force: true })));
}

function noteOf(part: string): string {
  return `${part}.json`;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

function isLocal(error: unknown): boolean {
  return ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Fetches a small text. @throws as {@link fetchFile} */
export async function fetchText(url: string, options: FetchOptions): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-fetch-'));
  try {
    return await readFile(await fetchFile(url, join(folder, 'text'), options), 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fetches the SHA-256 checksums of a release. Each line has a checksum and a name in either order. */
export async function fetchSums(url: string, options: FetchOptions): Promise<ReadonlyMap<string, string>> {
  const words = (await fetchText(url, options)).split('\n').map((line) => line.trim().split(/\s+\*?/));
  const isSum = (word: string | undefined): boolean => /^[0-9a-f]{64}$/i.test(word ?? '');
  const pairs = words.map(([first = '', second = '']) => (isSum(second) ? [first, second] : [second, first]));
  return new Map(pairs.filter(([, sum]) => isSum(sum)).map(([name = '', sum = '']) => [name, sum.toLowerCase()]));
}

/** PEP 691. Without this type, an index answers HTML. */
const INDEX_TYPE = 'application/vnd.pypi.simple.v1+json';

const projectSchema = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      url: z.string(),
      hashes: z.record(z.string(), z.string()),
      yanked: z.union([z.boolean(), z.string()]).default(false),
    }),
  ),
});

/** Lists the files of a package, except those that were withdrawn and those without a checksum. */
export async function listPackageFiles(indexUrl: string, name: string, options: FetchOptions) {
  const url = `${indexUrl.replace(/(?<!\/)\/+$/, '')}/${name}/`;
  const text = await fetchText(url, { ...options, accept: INDEX_TYPE });
  const { success, data, error } = projectSchema.safeParse(parseJson(text));
  if (!success) throw new Error(`${url} did not return a list of files in JSON (PEP 691)`, { cause: error });
  return data.files.flatMap(({ filename, url: reference, hashes, yanked }) => {
    const sha256 = hashes['sha256']?.toLowerCase() ?? '';
    if (yanked !== false || !/^[\da-f]{64}$/.test(sha256) || !URL.canParse(reference, url)) return [];
    return [{ filename, url: new URL(reference, url).href, sha256 }];
  });
}
