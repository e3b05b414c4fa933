import { randomBytes } from 'node:crypto';
import { HTTPResponse, type EventHandler, type H3Event } from 'h3';
import type { Logger } from 'pino';
import { ApiError } from '../../contract/http/api-error.ts';
import { datedVersion } from '../../runtime/subprocess/dated-version.ts';
import { acceptsGzip } from '../http/gzip-answers.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';

interface ConsoleOptions {
  readonly load: () => Promise<ConsoleFiles>;
  readonly driveUrl: string;
  readonly ytdlp?: (() => Promise<string | undefined>) | undefined;
  readonly log: Logger;
}

const NONCE = '__NONCE__';
const YTDLP = '__YTDLP__';
const ASSETS = '/console/assets/';
/** The content of a file with a hash in its name never changes. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Serves the console at /console: one page for all of its paths, and its assets. It is loaded when it is first opened. */
export function consolePage({ load, driveUrl, ytdlp, log }: ConsoleOptions): EventHandler {
  let loading: Promise<ConsoleFiles> | undefined;
  const drive = new URL(driveUrl).origin;
  const files = (): Promise<ConsoleFiles> =>
    (loading ??= load().catch((error: unknown) => {
      log.error({ err: error }, 'the console cannot be loaded');
      throw new ApiError('unavailable', 'The console could not be built; the log of the api has the reason.', {
        cause: error,
      });
    }));
  return async (event) => {
    const { pathname } = event.url;
    const { page, assets } = await files();
    if (pathname.startsWith(ASSETS)) {
      const name = pathname.slice(ASSETS.length);
      const asset = assets.get(name);
      if (asset === undefined) throw new ApiError('not_found', 'There is nothing at this path.');
      return answerAsset(event.req, asset, HASHED.test(name));
    }
    const nonce = randomBytes(16).toString('base64');
    event.res.headers.set('Content-Security-Policy', policyOf(nonce, drive));
    // The page works without the version, for example while the database cannot be reached.
    const version = await ytdlp?.().catch(() => undefined);
    return new HTTPResponse(page.replaceAll(NONCE, nonce).replace(YTDLP, ageText(version)), {
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  };
}

function ageText(version: string | undefined): string {
  if (version === undefined || !/^[\w.+-]{1,60}$/.test(version)) return '';
  const { ageDays } = datedVersion(version, Date.now());
  return ageDays === undefined ? version : `${version}, ${ageDays} ${ageDays === 1 ? 'day' : 'days'} old`;
}

/** The page loads nothing from other hosts. Pictures of platforms come through the picture proxy, as blobs. */
function policyOf(nonce: string, drive: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "manifest-src 'self'",
    "img-src 'self' blob:",
    // Files may be served by another host.
    `media-src 'self' ${drive}`,
    `connect-src 'self' ${drive}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function answerAsset(
  { headers }: H3Event['req'],
  { contentType, bytes, gzipped, etag }: ConsoleFile,
  isHashed: boolean,
): HTTPResponse {
  const common = {
    'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
    Vary: 'Accept-Encoding',
  };
  if (headers.get('if-none-match') === etag) return new HTTPResponse(null, { status: 304, headers: common });
  const takesGzip = acceptsGzip(headers.get('accept-encoding'));
  return new HTTPResponse(takesGzip ? gzipped : bytes, {
    headers: { ...common, 'Content-Type': contentType, ...(takesGzip ? { 'Content-Encoding': 'gzip' } : {}) },
  });
}
