import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The longest interim response: the limit of the headers of a final one. */
const INTERIM_MAX_BYTES = 16 * 1024;
const STATUS = 'HTTP/1.1 100';
const HEADERS_END = '\r\n\r\n';

/**
 * Returns a connector for clients that send one request per connection. It makes the final status count where undici loses it:
 *
 * - Interim responses (1xx) are removed, because undici fails on those that it did not request.
 * - A write that fails stays pending, because the receiver may have answered before it closed. What has arrived is still read.
 */
export function patient(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error === null) {
        keepFailedWrites(socket);
        removeInterim(socket);
      }
      callback(...result);
    });
}

function keepFailedWrites(socket: Socket): void {
  const [write, writev] = [socket._write.bind(socket), socket._writev?.bind(socket)];
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, unlessFailed(callback));
  socket._writev = (chunks, callback) => writev?.(chunks, unlessFailed(callback));
}

function unlessFailed(callback: () => void): (error?: Error | null) => void {
  return (error) => {
    if (error === undefined || error === null) callback();
  };
}

function removeInterim(socket: Socket): void {
  const push = socket.push.bind(socket);
  let held: Buffer | undefined = Buffer.alloc(0);
  socket.push = (chunk: Buffer | null) => {
    if (held === undefined) return push(chunk);
    held = Buffer.concat([held, ...(chunk === null ? [] : [chunk])]);
    while (mayBeInterim(held) && held.includes(HEADERS_END)) {
      held = held.subarray(held.indexOf(HEADERS_END) + HEADERS_END.length);
    }
    if (chunk !== null && mayBeInterim(held) && held.length < INTERIM_MAX_BYTES) return true;
    const rest = held;
    held = undefined;
    if (rest.length > 0) push(rest);
    return chunk !== null || push(null);
  };
}

/** Whether bytes are an interim response, or may become one. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, STATUS.length);
  return /^HTTP\/1\.\d 1\d\d/.test(start + STATUS.slice(start.length));
}
