import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventHandler } from 'h3';
import send from 'send';
import { ApiError, type ErrorCode } from '../contract/errors.ts';
import type { LinkSigner } from '../store/links.ts';
import { httpStatusOf } from './errors.ts';
import { transmit } from './transmit.ts';

/** A record's folder and a file in it, both of our own making: no dots but the one before the extension. */
const FILE_PATH = /^\/files\/[0-7][0-9A-HJKMNP-TV-Z]{25}\/[A-Za-z0-9_-]{1,80}\.([a-z0-9]{2,4})$/;
const CONTENT_TYPES: Readonly<Record<string, string>> = { m4a: 'audio/mp4', mp4: 'video/mp4' };

type Problem = readonly [ErrorCode, string];
const FILE_GONE: Problem = ['not_found', 'The file is not kept any more.'];
const FILE_PROBLEMS: Readonly<Record<number, Problem>> = {
  412: ['precondition_failed', 'The file is not the one that the request names.'],
  416: ['range_not_satisfiable', 'The range lies outside the file.'],
};

/** Serves published files to whoever holds a valid link, with single ranges, `If-Range` and strong entity tags. */
export function fileHost(options: { root: string; signer: LinkSigner }): EventHandler {
  return (event) => {
    const { pathname, searchParams } = event.url;
    const match = FILE_PATH.exec(pathname);
    if (match === null) throw new ApiError('not_found', 'There is no such file.');
    const expires = searchParams.get('Expires');
    // Before anything touches the disk: who holds no link learns nothing.
    if (!options.signer.isValid(pathname, { expires, signature: searchParams.get('Signature') })) {
      throw new ApiError('link_invalid', 'The link is not valid or has expired. Get the download again for a new one.');
    }
    const maxAgeSeconds = Math.max(0, Number(expires) - Math.floor(Date.now() / 1000));
    const headers = {
      'Content-Type': CONTENT_TYPES[match[1] ?? ''] ?? 'application/octet-stream',
      'Content-Disposition': `inline; filename="${pathname.slice(pathname.lastIndexOf('/') + 1)}"`,
      'Cache-Control': `private, max-age=${String(maxAgeSeconds)}`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    };
    const path = pathname.slice('/files'.length);
    return transmit((request, response) => openFile({ request, response, root: options.root, path, headers }))(event);
  };
}

interface Transmission {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly root: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Two corners in which `send` reads RFC 9110 otherwise; it looks at the request's headers after its `file` event. */
function mendRange(request: IncomingMessage, sizeBytes: number): void {
  const { headers } = request;
  // Section 14.1.2: a suffix longer than the file means the whole file.
  const suffix = /^bytes=-(\d+)$/.exec(headers.range ?? '')?.[1];
  if (suffix !== undefined && Number(suffix) >= sizeBytes && sizeBytes > 0) headers.range = 'bytes=0-';
  // Section 13.1.5: a weak tag never matches in If-Range.
  if (headers['if-range']?.toString().startsWith('W/') === true) delete headers.range;
}

function openFile({ request, response, root, path, headers }: Transmission): send.SendStream {
  const stream = send(request, path, { root, index: false, dotfiles: 'deny', cacheControl: false });
  stream.on('file', (_path: string, stat: { size: number }) => mendRange(request, stat.size));
  stream.on('headers', (target: ServerResponse, _path: string, stat: { size: number; mtimeMs: number }) => {
    for (const [name, value] of Object.entries(headers)) target.setHeader(name, value);
    // A published file never changes, it is only replaced by rename: size and time make a strong tag, and only a
    // strong one may match in If-Range (RFC 9110, section 13.1.5).
    target.setHeader('ETag', `"${stat.size.toString(16)}-${Math.trunc(stat.mtimeMs).toString(16)}"`);
  });
  stream.on('error', (error: { status?: number; headers?: Record<string, string> }) => {
    const [code, message] = FILE_PROBLEMS[error.status ?? 0] ?? FILE_GONE;
    const problem = new ApiError(code, message);
    const contentRange = error.headers?.['Content-Range'];
    response.writeHead(httpStatusOf(problem), {
      'Content-Type': 'application/json',
      ...(contentRange === undefined ? {} : { 'Content-Range': contentRange }),
    });
    response.end(JSON.stringify(problem.toBody()));
  });
  return stream;
}
