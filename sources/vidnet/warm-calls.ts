import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { signalGroup, type Running, type RunOptions } from '../../runtime/subprocess/run.ts';

const ID_BYTES = 16;
/** A parent that does not tell the end of a call for so long after its KILL is ended. */
const ANSWER_TIMEOUT_MS = 5_000;

interface Call {
  readonly streams: readonly [PassThrough, PassThrough];
  readonly onStart: RunOptions['onStart'];
  /** From when it is told until its end is told. */
  groupId?: number | undefined;
  /** The last one; it may come before it is known to whom. */
  signal?: NodeJS.Signals;
  /** @param code null when the parent is gone */
  readonly end: (code: number | null) => void;
  hasEnded: boolean;
}

/** What the parent tells of a call: the id of its process group, and its exit code. */
interface Answer {
  readonly id: string;
  readonly pid?: number;
  readonly code?: number;
}

export interface WarmCalls {
  readonly start: (args: readonly string[], options: RunOptions) => Running;
  /** Connections on which the output of calls comes. */
  readonly takeStream: (socket: Socket) => void;
  /** A line of the parent's. */
  readonly takeAnswer: (line: string) => void;
  /** The parent is gone, and all calls with it. */
  readonly endAll: () => void;
  readonly running: () => number;
  readonly total: () => number;
}

/** The calls of one parent: see warm-yt-dlp.py. */
export function createWarmCalls(parent: {
  readonly order: (line: string) => void;
  readonly kill: () => void;
  /** Called when the last call has ended. */
  readonly onIdle: () => void;
}): WarmCalls {
  const calls = new Map<string, Call>();
  let total = 0;
  let isOver = false;
  return {
    start(args, { cwd, env, maxFileBytes, maxMemoryBytes, onStart }) {
      total += 1;
      const id = randomBytes(ID_BYTES).toString('hex');
      const streams = [new PassThrough(), new PassThrough()] as const;
      let timer: NodeJS.Timeout | undefined;
      const ended = new Promise<number | null>((end) => {
        calls.set(id, { streams, onStart, end, hasEnded: false });
        if (isOver) end(null);
      }).then((code) => {
        clearTimeout(timer);
        calls.delete(id);
        if (calls.size === 0) parent.onIdle();
        return { code, signal: code === null ? 'the end of its parent' : null };
      });
      parent.order(JSON.stringify({ id, args, cwd, env, maxFileBytes, maxMemoryBytes }));
      const signal = (name: NodeJS.Signals): void => {
        const call = calls.get(id);
        if (call === undefined || call.hasEnded) return;
        call.signal = name;
        signalGroup(call.groupId, name);
        if (name === 'SIGKILL') timer ??= setTimeout(() => call.hasEnded || parent.kill(), ANSWER_TIMEOUT_MS);
      };
      return { stdout: streams[0], stderr: streams[1], signal, ended };
    },
    takeStream(socket) {
      socket.on('error', () => undefined);
      // It begins with the id of its call and the number of the descriptor.
      const onReadable = (): void => {
        const head = socket.read(2 * ID_BYTES + 1) as Buffer | null;
        if (head === null) return;
        socket.off('readable', onReadable);
        const name = head.toString('latin1');
        const stream = calls.get(name.slice(0, -1))?.streams[Number(name.slice(-1)) - 1];
        if (stream === undefined) {
          socket.destroy();
          return;
        }
        socket.on('close', () => stream.end()).pipe(stream);
      };
      socket.on('readable', onReadable);
    },
    takeAnswer(line) {
      const { id, pid, code } = JSON.parse(line) as Answer;
      const call = calls.get(id);
      if (call === undefined) return;
      if (pid !== undefined) {
        call.groupId = pid;
        call.onStart?.(pid);
        if (call.signal !== undefined) signalGroup(pid, call.signal);
      }
      if (code === undefined) return;
      call.hasEnded = true;
      const isRead = call.streams.map((stream) => finished(stream, { writable: false }));
      // One that was never started has no output.
      if (call.groupId === undefined) call.end(code);
      else void Promise.all(isRead).then(() => call.end(code));
      call.groupId = undefined;
    },
    endAll() {
      isOver = true;
      for (const { groupId, end } of calls.values()) {
        // Forks die with their parent; what they have started does not.
        signalGroup(groupId, 'SIGKILL');
        end(null);
      }
    },
    running: () => calls.size,
    total: () => total,
  };
}
