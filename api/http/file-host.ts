import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import { fromNodeHandler, type EventHandler, type H3Event } from 'h3';
import { contentTypeOf } from '../../contract/http/content-types.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { fileKeyOf, type FileKey, type StoredFile } from '../../store/files/file-store.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { archiveOf } from '../use-cases/batch-archive.ts';
import { answerFor, type FileAnswer } from './conditional-requests.ts';
import { requestIdOf } from './request-id.ts';
import { respond } from './respond.ts';

const FOLDER = '/files/';

/** Serves published files to holders of a valid signed link. A slow reader slows down the read of the store. */
export function fileHost({ files, signer, log }: Pick<ServiceDeps, 'files' | 'signer' | 'log'>): EventHandler {
  return async (event) => {
    // The URL of the event is decoded.
    const url = new URL(event.req.url);
    const { pathname, searchParams } = url;
    const [recordId = '', name = '', downloadName, ...rest] = pathname.slice(FOLDER.length).split('/');
    const key = pathname.startsWith(FOLDER) && rest.length === 0 ? fileKeyOf(`${recordId}/${name}`) : undefined;
    if (key === undefined) throw new ApiError('not_found', 'There is no such file.');
    // The link is checked before the store is accessed, so that the answer reveals nothing about it.
    assertLink(signer, url);
    const expires = searchParams.get('Expires');
    const file = await files.open(key);
    if (file === undefined) throw new ApiError('not_found', 'The file is not kept any more.');
    const maxAgeSeconds = Math.max(0, Number(expires) - Math.floor(Date.now() / 1000));
    return sendFile({ log }, event, { key, file, maxAgeSeconds, downloadName });
  };
}

function assertLink(signer: ServiceDeps['signer'], { pathname, searchParams }: URL): void {
  const [expires, signature] = [searchParams.get('Expires'), searchParams.get('Signature')];
  if (signer.isValid(pathname, { expires, signature })) return;
  throw new ApiError('link_invalid', 'The link is not valid or has expired. Get the download again for a new one.');
}

/** Serves the archives of batches to holders of a valid signed link, such as browsers, which send no key. */
export function archiveHost(deps: ServiceDeps): EventHandler {
  return async (event) => {
    assertLink(deps.signer, event.url);
    const batch = await deps.batches.get(event.context.params?.['batchId'] ?? '');
    if (batch === undefined) throw new ApiError('not_found', 'There is no batch with this id.');
    return respond(deps, event, archiveOf(deps, batch));
  };
}

interface SentFile {
  readonly key: FileKey;
  readonly file: StoredFile;
  readonly maxAgeSeconds: number;
  /** The name for people, percent-encoded. */
  readonly downloadName?: string | undefined;
}

export async function sendFile({ log }: Pick<ServiceDeps, 'log'>, event: H3Event, sent: SentFile): Promise<unknown> {
  const request = { method: event.req.method, headers: Object.fromEntries(event.req.headers) };
  const { status, headers, contents } = await answerWith(request, sent);
  return fromNodeHandler(async (_request, response) => {
    const target = response as ServerResponse;
    target.writeHead(status, { ...headers });
    await pump(contents, target).catch((error: unknown) => {
      // The connection is closed, so that the reader does not take the part for the whole.
      target.destroy();
      log.warn({ err: error, requestId: requestIdOf(event), ...sent.key }, 'a file could not be sent to its end');
    });
  })(event);
}

async function answerWith(
  request: { readonly method: string; readonly headers: IncomingHttpHeaders },
  { key, file, maxAgeSeconds, downloadName }: SentFile,
) {
  // Only a strong tag may match in If-Range (RFC 9110, section 13.1.5).
  const version = { etag: `"${file.tag}"`, lastModified: new Date(file.modifiedMs).toUTCString() };
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
    'Cache-Control': `private, max-age=${String(maxAgeSeconds)}`,
    ETag: version.etag,
    'Last-Modified': version.lastModified,
    'Content-Disposition': `inline; filename="${key.name}"${downloadName === undefined ? '' : extendedName(downloadName)}`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  if (answer.status === 304) return { status: 304, headers };
  const all = { ...headers, 'Content-Type': contentTypeOf(key.name), ...lengthHeaders(answer, file.sizeBytes) };
  if (request.method === 'HEAD') return { status: answer.status, headers: all };
  // The stream is opened before the status is sent, so that an unreachable store results in an error status.
  const contents = await file.read('range' in answer ? answer.range : undefined);
  return { status: answer.status, headers: all, contents };
}

/** The parameter of RFC 6266 (section 4.3), which allows fewer characters than a path. */
function extendedName(encoded: string): string {
  return `; filename*=UTF-8''${encoded.replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`;
}

/** Copies the contents until the reader leaves. It does not use a pipe, because h3 would log each reader that leaves. */
async function pump(contents: Readable | undefined, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  try {
    if (contents !== undefined) {
      for await (const chunk of addAbortSignal(gone.signal, contents)) {
        if (!response.write(chunk)) await once(response, 'drain', { signal: gone.signal });
      }
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

function lengthHeaders(answer: FileAnswer, sizeBytes: number): Record<string, string> {
  if (answer.status !== 206) return { 'Content-Length': String(sizeBytes) };
  const { first, last } = answer.range;
  return {
    'Content-Length': String(last - first + 1),
    'Content-Range': `bytes ${String(first)}-${String(last)}/${String(sizeBytes)}`,
  };
}
