import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const LOOKS = 4;

/** How far a connection has come with what is written to it. */
interface Mark {
  readonly written: number;
  readonly queued: number;
  readonly sinceMs: number;
}

/**
 * Cuts connections on which bytes wait of which the other side takes none. Node's own timeout of a socket does not serve: any
 * byte that comes in begins it anew, so whoever sends one now and then need not read.
 */
export function cutStalled(server: Server, stalledMs: number): void {
  const marks = new Map<Socket, Mark>();
  server.on('connection', (socket) => {
    marks.set(socket, markOf(socket));
    socket.once('close', () => marks.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, last] of marks) {
      const now = markOf(socket);
      const isMoving = now.written !== last.written || now.queued !== last.queued || socket.writableLength === 0;
      if (isMoving) marks.set(socket, now);
      // Reset: after a mere end the system would keep what nobody takes.
      else if (now.sinceMs - last.sinceMs >= stalledMs) socket.resetAndDestroy();
    }
  }, stalledMs / LOOKS).unref();
  server.once('close', () => clearInterval(timer));
}

function markOf(socket: Socket): Mark {
  return { written: socket.bytesWritten, queued: queuedOf(socket), sinceMs: performance.now() };
}

/**
 * Bytes that the system has not taken yet. A long answer is one write, which ends with its last byte; only the handle, which
 * Node's own timeout looks at too, tells how much of it is left.
 */
function queuedOf(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}
