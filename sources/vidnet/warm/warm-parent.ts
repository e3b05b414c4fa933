import { randomBytes, createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm, stat, lstat, mkdtemp, readdir } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { signalGroup, type Running, type RunOptions } from '../../../runtime/subprocess/run-program.ts';
import { startWarmProcess } from '../../../runtime/subprocess/warm-process.ts';
import type { PythonProgram } from './python-program.ts';
import { hostname, tmpdir } from 'node:os';
import { processIdentity } from '../../../runtime/subprocess/process-facts.ts';

const SCRIPT = fileURLToPath(new URL('./warm-yt-dlp.py', import.meta.url));
const WARM_UP_TIMEOUT_MS = 60_000;
/** A parent that does not report the end of a killed call within this time is killed. */
const ANSWER_TIMEOUT_MS = 5_000;
const ID_BYTES = 16;

interface WarmParentOptions {
  readonly program: PythonProgram;
  /** Makes the environment of the parent, not of its calls. */
  readonly env: (folder: string, programs: string) => Promise<Readonly<Record<string, string>>>;
  readonly args: readonly string[];
  /** URLs whose extractors are loaded too. */
  readonly urls: readonly string[];
  /** Aborts the first run. */
  readonly signal: AbortSignal;
}

/** The report of a parent that is ready, with facts of files before they were loaded. */
type Known = Readonly<{ version: string; files: string[]; before: Record<string, string>; spared: string[] }>;

interface Call {
  readonly streams: readonly [PassThrough, PassThrough];
  readonly onStart: RunOptions['onStart'];
  /** Set from the report of the start until the report of the end. */
  groupId?: number | undefined;
  /** The last signal, which may precede the report of the start. */
  signal?: NodeJS.Signals;
  /** @param code null when the parent is gone */
  readonly end: (code: number | null) => void;
  hasEnded: boolean;
}
type Calls = ReadonlyMap<string, Call>;

/** A process that has run yt-dlp once, and forks for each call (warm-yt-dlp.py). */
export type WarmParent = Awaited<ReturnType<typeof startWarmParent>>;

/** @throws when the first run fails or takes too long */
export async function startWarmParent({ program, env, args, urls, signal }: WarmParentOptions) {
  const folder = await openParentFolder();
  const programs = join(folder, 'programs');
  const server = createServer();
  const clean = async (): Promise<void> => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const streams = join(folder, 'streams');
    server.listen(streams);
    await once(server, 'listening');
    const programFacts = await fileFacts(program.file);
    const file = program.isModule ? '-m' : program.file;
    const parent = await startWarmProcess({
      program: program.python,
      args: [...program.flags, SCRIPT, streams, file, JSON.stringify(urls), ...args],
      ...{ cwd: folder, env: await env(folder, programs), readyWithinMs: WARM_UP_TIMEOUT_MS, signal },
    });
    const known = parent.ready as Known;
    const calls = new Map<string, Call>();
    let total = 0;
    let isOpen = true;
    let isGone = false;
    const endWhenIdle = (): void => {
      if (!isOpen && calls.size === 0) parent.end();
    };
    server.on('connection', (socket) => takeStream(calls, socket)).on('error', parent.kill);
    const gone = parent.gone.then(() => {
      isOpen = false;
      isGone = true;
      for (const { groupId, end } of calls.values()) {
        // Forks die with their parent, but their subprocesses do not.
        signalGroup(groupId, 'SIGKILL');
        end(null);
      }
      return clean();
    });
    parent.onAnswer((answer) => takeAnswer(calls, answer as Answer));
    const before: Known['before'] = { ...known.before, [program.file]: programFacts };
    const files = [program.file, ...known.files];
    // A file that was loaded from an unexpected path has no facts from before.
    const loaded = await Promise.all(files.map(async (path) => before[path] ?? (await fileFacts(path))));
    return {
      pid: parent.pid,
      programs,
      readyAtMs: performance.now(),
      version: known.version,
      /** Whether the program or its package has changed since the parent began to load them. */
      isOutdated: async () => (await Promise.all(files.map(fileFacts))).join() !== loaded.join(),
      /** The work that forks need not do (lighter-yt-dlp.py). */
      spared: known.spared,
      /** The number of calls so far. */
      calls: () => total,
      /** Whether it accepts calls: false after it exited or was retired. */
      isOpen: () => isOpen,
      /** The reason why it exited. */
      end: () => parent.reason().message,
      start(callArgs: readonly string[], options: RunOptions): Running {
        total += 1;
        const id = randomBytes(ID_BYTES).toString('hex');
        const output = [new PassThrough(), new PassThrough()] as const;
        let timer: NodeJS.Timeout | undefined;
        const ended = new Promise<number | null>((end) => {
          calls.set(id, { streams: output, onStart: options.onStart, end, hasEnded: false });
          if (isGone) end(null);
        }).then((code) => {
          clearTimeout(timer);
          calls.delete(id);
          endWhenIdle();
          return { code, signal: code === null ? 'the end of its parent' : null };
        });
        const { cwd, env: ownEnv, maxFileBytes, maxMemoryBytes, maxCpuSeconds, nice } = options;
        const limits = { maxFileBytes, maxMemoryBytes, maxCpuSeconds, nice };
        parent.send({ id, args: callArgs, cwd, env: ownEnv, ...limits });
        const signalCall = (name: NodeJS.Signals): void => {
          const call = calls.get(id);
          if (call === undefined || call.hasEnded) return;
          call.signal = name;
          signalGroup(call.groupId, name);
          if (name === 'SIGKILL') timer ??= setTimeout(() => call.hasEnded || parent.kill(), ANSWER_TIMEOUT_MS);
        };
        return { stdout: output[0], stderr: output[1], signal: signalCall, ended };
      },
      /** Accepts no more calls, and exits after the running ones. */
      retire() {
        isOpen = false;
        endWhenIdle();
      },
      gone,
      async close() {
        isOpen = false;
        await parent.close();
        await gone;
      },
    };
  } catch (error) {
    await clean();
    throw error;
  }
}

function takeStream(calls: Calls, socket: Socket): void {
  socket.on('error', () => undefined);
  // It begins with the ID of its call and the number of the descriptor.
  const onReadable = (): void => {
    const head = socket.read(2 * ID_BYTES + 1) as Buffer | null;
    if (head === null) return;
    socket.off('readable', onReadable);
    const name = head.toString('latin1');
    const stream = calls.get(name.slice(0, -1))?.streams[Number(name.slice(-1)) - 1];
    if (stream === undefined) socket.destroy();
    else socket.on('close', () => stream.end()).pipe(stream);
  };
  socket.on('readable', onReadable);
}

type Answer = Readonly<{ id: string; pid?: number; code?: number }>;

/** Handles a message of the parent about a call: the ID of its process group, or its exit code. */
function takeAnswer(calls: Calls, { id, pid, code }: Answer): void {
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
  // A call that was never started has no output.
  if (call.groupId === undefined) call.end(code);
  else void Promise.all(isRead).then(() => call.end(code));
  call.groupId = undefined;
}

/** @returns a text that changes with the file, equal to that of warm-yt-dlp.py; empty for a missing file, such as one in a zip */
function fileFacts(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(
    ({ ino, mtimeNs, size }) => [ino, mtimeNs, size].join('-'),
    () => '',
  );
}

const KIND = 'tapedeck-yt-dlp';

/**
 * Creates a private folder for a warm parent, and removes those of killed workers. It is in the system's temporary folder, because
 * the path of a socket has at most 107 bytes. Its name is `tapedeck-yt-dlp~<host>~<process>~<random>`.
 */
async function openParentFolder(): Promise<string> {
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  await removeAbandoned(host);
  const owner = processIdentity(process.pid) ?? String(process.pid);
  return mkdtemp(join(tmpdir(), `${[KIND, host, owner].join('~')}~`));
}

async function removeAbandoned(ofHost: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [kind, host, owner = ''] = name.split('~');
    if (kind !== KIND || host !== ofHost || processIdentity(Number.parseInt(owner, 10)) === owner) continue;
    const path = join(tmpdir(), name);
    // Every user can write to this folder, so a matching name does not prove that this user owns the entry.
    const isOwn = await lstat(path).then(
      ({ uid }) => uid === process.getuid?.(),
      () => false,
    );
    // Another worker may remove it too. The next worker retries what remains.
    if (isOwn) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
