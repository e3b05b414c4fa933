import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HTTPResponse, type EventHandler } from 'h3';
import { z } from 'zod';
import { ApiError } from '../../contract/http/api-error.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';
import { DownloadError } from '../../outbound/download.ts';
import type { Downloader } from '../../outbound/download.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { checked } from '../http/to-api-error.ts';

interface PictureProxyOptions {
  readonly authenticate: Authenticate;
  readonly download: Downloader;
}

const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
/** Pictures that are fetched at a time: a slow host delays other pictures only. */
const CONCURRENCY = 16;
const MAX_WAIT_MS = 10_000;

const querySchema = z.object({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2_048),
});

/** The formats that browsers display without executing anything, by their first bytes. SVG is not among them. */
const FORMATS: readonly (readonly [contentType: string, matches: (bytes: Buffer) => boolean])[] = [
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/gif', (bytes) => ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
  ['image/avif', (bytes) => bytes.toString('latin1', 4, 12) === 'ftypavif'],
];

/**
 * GET /pictures?url=…: a picture of a platform, for the console. Records contain the URLs of pictures, so without this proxy the
 * author of a record would learn the address of everyone who looks at it.
 */
export function pictureProxy({ authenticate, download }: PictureProxyOptions): EventHandler {
  const semaphore = createSemaphore(CONCURRENCY, MAX_WAIT_MS);
  return async (event) => {
    await authenticate(event.req.headers.get('authorization'));
    const { url } = checked(querySchema, Object.fromEntries(event.url.searchParams));
    const bytes = await semaphore.withPermit(() => fetchPicture(download, url, event.req.signal));
    const [contentType] = FORMATS.find(([, matches]) => matches(bytes)) ?? [];
    if (contentType === undefined) throw new ApiError('not_found', 'There is no picture at this URL.');
    return new HTTPResponse(new Uint8Array(bytes), {
      headers: {
        'Content-Type': contentType,
        'Content-Length': String(bytes.length),
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cache-Control': 'private, max-age=3600',
      },
    });
  };
}

async function fetchPicture(download: Downloader, url: string, signal: AbortSignal): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-picture-'));
  try {
    const path = join(folder, 'picture');
    await download(url, { path, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, signal });
    return await readFile(path);
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    throw new ApiError('not_found', 'The picture cannot be fetched.', { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
