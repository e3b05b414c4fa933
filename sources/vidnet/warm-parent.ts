import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { signalGroup, type Running, type RunOptions } from '../../runtime/subprocess/run.ts';
import type { PythonProgram } from './python-program.ts';
import { createWarmCalls } from './warm-calls.ts';

const SCRIPT = fileURLToPath(new URL('./warm-yt-dlp.py', import.meta.url));
const WARM_UP_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 5_000;
const STDERR_TAIL_CHARS = 2_000;

export interface WarmParentOptions {
  readonly program: PythonProgram;
  /** Of the parent itself, by its folder: calls have their own. */
  readonly env: (folder: string) => Promise<Readonly<Record<string, string>>>;
  /** Arguments of the first run. */
  readonly args: readonly string[];
  /** Addresses whose extractors are loaded too. */
  readonly urls: readonly string[];
  /** Breaks the first run off. */
  readonly signal: AbortSignal;
}

/** A process that has run yt-dlp once, and forks for each call. */
export interface WarmParent {
  readonly pid: number;
  readonly readyAtMs: number;
  /** Files that tell the version of what it has loaded. */
  readonly files: readonly string[];
  /** How many calls it was given. */
  readonly calls: () => number;
  /** Whether it takes calls: not when it is gone or was told to end. */
  readonly isOpen: () => boolean;
  readonly start: (args: readonly string[], options: RunOptions) => Running;
  /** Takes no further call, and ends when those that run have ended. */
  readonly retire: () => void;
  /** Ends it with its calls. */
  readonly close: () => Promise<void>;
  /** Resolves when it is gone, however it went. */
  readonly gone: Promise<void>;
}

/** @throws when the first run fails or takes too long */
export async function startWarmParent({ program, env, args, urls, signal }: WarmParentOptions): Promise<WarmParent> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-yt-dlp-'));
  const server = createServer();
  const clean = async (): Promise<void> => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const streams = join(folder, 'streams');
    server.listen(streams);
    await once(server, 'listening');
    const file = program.isModule ? '-m' : program.file;
    const child = spawn(program.python, [...program.flags, SCRIPT, streams, file, JSON.stringify(urls), ...args], {
      ...{ cwd: folder, env: await env(folder), detached: true },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    const [orders, , errors, answers] = child.stdio as unknown as [Writable, null, Readable, Readable];
    const kill = (): void => signalGroup(child.pid, 'SIGKILL');
    let isOpen = true;
    const retire = (): void => {
      isOpen = false;
      if (calls.running() === 0) orders.end();
    };
    const calls = createWarmCalls({
      order: (line) => orders.write(`${line}\n`),
      kill,
      onIdle: () => isOpen || orders.end(),
    });
    orders.on('error', () => undefined);
    server.on('connection', calls.takeStream).on('error', kill);
    let stderr = '';
    errors.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-STDERR_TAIL_CHARS)));
    const gone = new Promise((resolve) => child.once('error', resolve).once('close', resolve)).then(() => {
      isOpen = false;
      calls.endAll();
      return clean();
    });

    const lines = createInterface({ input: answers });
    const late = setTimeout(kill, WARM_UP_TIMEOUT_MS);
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill);
    const first = await new Promise<string | undefined>((resolve) => {
      lines.once('line', resolve);
      void gone.then(() => resolve(undefined));
    }).finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', kill);
    });
    if (first === undefined) throw new Error(`it did not come up: ${stderr.trim().split('\n').at(-1) ?? ''}`);
    lines.on('line', calls.takeAnswer);
    return {
      pid: child.pid ?? NaN,
      readyAtMs: performance.now(),
      files: [program.file, ...(JSON.parse(first) as { files: string[] }).files],
      calls: calls.total,
      isOpen: () => isOpen,
      start: calls.start,
      retire,
      gone,
      close: async () => {
        isOpen = false;
        orders.end();
        const timer = setTimeout(kill, END_TIMEOUT_MS);
        await gone.finally(() => clearTimeout(timer));
      },
    };
  } catch (error) {
    await clean();
    throw error;
  }
}
