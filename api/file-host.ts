import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { fromNodeHandler, type EventHandler } from 'h3';
import type { Logger } from 'pino';
import { contentTypeOf } from '../contract/content-types.ts';
import { ApiError } from '../contract/errors.ts';
import { fileKeyOf, type FileKey, type FileStore, type StoredFile } from '../store/files.ts';
import type { LinkSigner } from '../store/links.ts';
import { answerFor, type FileAnswer } from './conditional.ts';

const FOLDER = '/files/';

export interface FileHostOptions {
  readonly files: FileStore;
  readonly signer: LinkSigner;
  readonly log: Logger;
}

/**
 * Serves published files to whoever holds a valid link, with single ranges, `If-Range` and strong entity tags. The contents
 * pass through here from whichever store, a piece at a time: a slow reader slows the store down.
 */
export function fileHost({ files, signer, log }: FileHostOptions): EventHandler {
  return async (event) => {
    const { pathname, searchParams } = event.url;
    const key = pathname.startsWith(FOLDER) ? fileKeyOf(pathname.slice(FOLDER.length)) : undefined;
    if (key === undefined) throw new ApiError('not_found', 'There is no such file.');
    const expires = searchParams.get('Expires');
    // Before anything touches the store: who holds no link learns nothing.
    if (!signer.isValid(pathname, { expires, signature: searchParams.get('Signature') })) {
      throw new ApiError('link_invalid', 'The link is not valid or has expired. Get the download again for a new one.');
    }
    const file = await files.open(key);
    if (file === undefined) throw new ApiError('not_found', 'The file is not kept any more.');
    const maxAgeSeconds = Math.max(0, Number(expires) - Math.floor(Date.now() / 1000));
    return fromNodeHandler(async (request, response) => {
      const target = response as ServerResponse;
      await send(request as IncomingMessage, target, { key, file, maxAgeSeconds }).catch((error: unknown) => {
        if (!target.headersSent) throw error;
        // Cut, so that nobody takes the part for the whole. A reader that leaves is no news.
        target.destroy();
        if (!isReaderGone(error)) log.warn({ err: error, ...key }, 'a file could not be sent to its end');
      });
    })(event);
  };
}

interface Serving {
  readonly key: FileKey;
  readonly file: StoredFile;
  readonly maxAgeSeconds: number;
}

async function send(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { key, file } = serving;
  const version = versionOf(file);
  const answer = answerFor(request.headers, { ...version, sizeBytes: file.sizeBytes });
  if (answer.status === 412) {
    throw new ApiError('precondition_failed', 'The file is not the one that the request names.');
  }
  if (answer.status === 416) {
    const headers = { 'Content-Range': `bytes */${String(file.sizeBytes)}` };
    throw new ApiError('range_not_satisfiable', 'The range lies outside the file.', { headers });
  }
  const headers = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': `private, max-age=${String(serving.maxAgeSeconds)}`,
    ETag: version.etag,
    'Last-Modified': version.lastModified,
    'Content-Disposition': `inline; filename="${key.name}"`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  if (answer.status === 304) {
    response.writeHead(304, headers).end();
    return;
  }
  const contentHeaders = { 'Content-Type': contentTypeOf(key.name), ...lengthHeaders(answer, file.sizeBytes) };
  if (request.method === 'HEAD') {
    response.writeHead(answer.status, { ...headers, ...contentHeaders }).end();
    return;
  }
  // First the stream: a store that is away is told by a status and not by a broken answer.
  const contents = await file.read('range' in answer ? answer.range : undefined);
  response.writeHead(answer.status, { ...headers, ...contentHeaders });
  await pipeline(contents, response);
}

function versionOf({ tag, modifiedMs }: StoredFile): { etag: string; lastModified: string } {
  // Only a strong tag may match in If-Range (RFC 9110, section 13.1.5).
  return { etag: `"${tag}"`, lastModified: new Date(modifiedMs).toUTCString() };
}

function lengthHeaders(answer: FileAnswer, sizeBytes: number): Record<string, string> {
  if (answer.status !== 206) return { 'Content-Length': String(sizeBytes) };
  const { first, last } = answer.range;
  return {
    'Content-Length': String(last - first + 1),
    'Content-Range': `bytes ${String(first)}-${String(last)}/${String(sizeBytes)}`,
  };
}

function isReaderGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
