import type { Server as NodeServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Server } from 'srvx';
import { ApiError } from '../contract/errors.ts';

/** What Node's parser refuses never reaches a route; it gets the documented body too, and nothing is started. */
export function answerMalformedRequests(server: Server): void {
  const node = server.node?.server as NodeServer | undefined;
  node?.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const body = JSON.stringify(new ApiError('invalid_input', 'The request is not valid HTTP.').toBody());
    const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const headers = `Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}`;
    socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\nConnection: close\r\n\r\n${body}`);
  });
}
