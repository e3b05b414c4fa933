import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../contract/http/api-error.ts';

/** Answers requests that Node refuses before they reach a route (malformed or too slow) with the documented error body. */
export function answerMalformedRequests(server: Server): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => {
    responses.set(socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const last = responses.get(socket);
    // During an answer, or after the answer to a request that continues, another one would be misinterpreted.
    const isAnswered = last?.headersSent === true && !(last.closed && last.req.complete);
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
      socket.destroy();
      return;
    }
    const { status, refusal } = refusalOf(error.code);
    const body = JSON.stringify(refusal.toBody());
    const headers = `Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}`;
    // An ended connection would stay open until the peer ends it too.
    socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\nConnection: close\r\n\r\n${body}`, () => socket.destroy());
  });
}

function refusalOf(code: string | undefined): { readonly status: string; readonly refusal: ApiError } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const refusal = new ApiError('request_timeout', 'The request did not arrive to its end in time.');
    return { status: '408 Request Timeout', refusal };
  }
  const isTooLong = code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  return { status, refusal: new ApiError('invalid_input', 'The request is not valid HTTP.') };
}
