import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { startDeadline } from '../deadline.ts';
import { programRuns, type ProgramEnd } from '../telemetry/diagnostics.ts';
import { watchFolder } from './folder-watch.ts';

const PARENT_DEATH_WATCH = fileURLToPath(new URL('./parent-death-watch.sh', import.meta.url));
const STDERR_TAIL_CHARS = 16_384;
const LINE_MAX_CHARS = 1_048_576;
const DEFAULT_KILL_AFTER_MS = 5_000;
/** A ninth of the processor time that a program with the usual nice value gets beside it. */
const YIELDING_NICE = 10;

/** Whether programs that start in this context yield the processor to others. */
export const yielding = new AsyncLocalStorage<boolean>();

export interface RunOptions {
  readonly cwd: string;
  /** The whole environment of the program: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the process group: SIGTERM, then SIGKILL after `killAfterMs`. */
  readonly signal?: AbortSignal;
  /** Wall-clock limit in milliseconds; exceeding it ends the process group in the same way. */
  readonly timeoutMs?: number;
  readonly killAfterMs?: number;
  /** Maximum size of each file that the program writes, in bytes (RLIMIT_FSIZE). */
  readonly maxFileBytes?: number;
  /** The exit code with which the program ends after a signal, if it handles signals (ffmpeg: 255). */
  readonly signalExitCode?: number;
  /** Maximum size of all files in `cwd` together; exceeding it ends the run with `FolderTooLargeError`. */
  readonly maxFolderBytes?: number;
  /** Maximum writable memory of each process of the program, in bytes (RLIMIT_DATA). macOS has no such limit. */
  readonly maxMemoryBytes?: number;
  /** Maximum processor time of each process of the program, in seconds (RLIMIT_CPU); exceeding it ends the run with `CpuTimeError`. */
  readonly maxCpuSeconds?: number;
  /** Number of characters of stdout that the result may hold. A longer output ends the run with `StdoutTooLargeError`. Default 0: stdout is discarded. */
  readonly maxStdoutChars?: number;
  readonly onStdoutLine?: (line: string) => void;
  readonly onStart?: (groupId: number) => void;
  /** What is added to the nice value. Default: 10 in a context that is {@link yielding}, otherwise nothing. */
  readonly nice?: number;
  /** Starts the program. Default: {@link startProgram}. */
  readonly start?: Start;
}

export type Start = (program: string, args: readonly string[], options: RunOptions) => Running;

export interface Running {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Signals the process group. Does nothing if the group has ended. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves when the program has ended and its output has been read completely. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderrTail: string;
}

/** A program could not be started, or was ended before it was done. */
abstract class RunError extends Error {
  abstract readonly end: ProgramEnd;
}

const runError = (name: string, end: ProgramEnd) =>
  class extends RunError {
    override readonly name = name;
    readonly end = end;
  };

export const RunTimeoutError = runError('RunTimeoutError', 'timeout');
export const CpuTimeError = runError('CpuTimeError', 'timeout');
export const StdoutTooLargeError = runError('StdoutTooLargeError', 'output_limit');
export const FolderTooLargeError = runError('FolderTooLargeError', 'folder_limit');
export const RunStartError = runError('RunStartError', 'not_started');
/** The program was ended by a signal that this process did not send, for example because the system is short of memory. */
export const RunKilledError = runError('RunKilledError', 'killed');

/**
 * The exit codes of a shell for HUP, INT, KILL and TERM. Signals for a fault of the program itself, such as SEGV, and for the
 * file size limit are not among them, because another run would end in the same way.
 */
const KILLED_EXIT_CODES: readonly number[] = [129, 130, 137, 143];
/** The exit code of a shell for XCPU. */
const CPU_TIME_EXIT_CODE = 152;
/** The exit codes of a shell for a program that is not executable or not found. */
const NOT_STARTED_EXIT_CODES: readonly number[] = [126, 127];

/**
 * Runs a program to its end in its own process group, which also ends when this process is killed.
 *
 * @returns the exit code (non-zero is not an error here), stdout up to `maxStdoutChars`, and the tail of stderr
 * @throws the signal's reason when aborted; {@link RunTimeoutError}, {@link CpuTimeError}, {@link StdoutTooLargeError},
 * {@link FolderTooLargeError}, {@link RunStartError}, {@link RunKilledError}
 */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { timeoutMs, maxFolderBytes, maxStdoutChars = 0 } = options;
  options.signal?.throwIfAborted();
  const startedMs = performance.now();
  const nice = yielding.getStore() === true ? { nice: YIELDING_NICE } : {};
  const child = (options.start ?? startProgram)(program, args, { ...nice, ...options });
  let stop: Error | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const endGroup = (reason: Error): void => {
    if (stop !== undefined) return;
    stop = reason;
    child.signal('SIGTERM');
    killTimer = setTimeout(() => child.signal('SIGKILL'), options.killAfterMs ?? DEFAULT_KILL_AFTER_MS);
  };
  const late = (): Error => new RunTimeoutError(`ran longer than ${String(timeoutMs)} ms`);
  const deadline = startDeadline({ signal: options.signal, timeoutMs, late });
  deadline.signal.addEventListener('abort', () => endGroup(deadline.signal.reason as Error));
  const stopWatching =
    maxFolderBytes === undefined
      ? undefined
      : watchFolder(options.cwd, maxFolderBytes, () =>
          endGroup(new FolderTooLargeError(`wrote more than ${maxFolderBytes} bytes`)),
        );

  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length >= maxStdoutChars) return;
    stdout += text;
    if (stdout.length > maxStdoutChars) {
      stdout = stdout.slice(0, maxStdoutChars);
      endGroup(new StdoutTooLargeError(`printed more than ${maxStdoutChars} characters`));
    }
  });
  if (options.onStdoutLine !== undefined) splitLines(child.stdout, options.onStdoutLine);
  let stderrTail = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (stderrTail = (stderrTail + text).slice(-STDERR_TAIL_CHARS)));

  let end: ProgramEnd = 'cancelled';
  try {
    const { code, signal } = await child.ended;
    if (stop !== undefined) throw stop;
    // Without a code, the shell that watches the program was killed itself.
    if (code === null) throw new RunKilledError(`${program} was ended by ${String(signal)}`);
    if (code === CPU_TIME_EXIT_CODE)
      throw new CpuTimeError(`used more than ${options.maxCpuSeconds ?? NaN} s of processor time`);
    if (KILLED_EXIT_CODES.includes(code) || code === options.signalExitCode)
      throw new RunKilledError(`${program} was ended by a signal (exit code ${code})`);
    if (NOT_STARTED_EXIT_CODES.includes(code)) throw new RunStartError(`cannot start ${program}: ${stderrTail.trim()}`);
    end = code === 0 ? 'ok' : 'failed';
    return { exitCode: code, stdout, stderrTail };
  } catch (error) {
    if (error instanceof RunError) ({ end } = error);
    throw error;
  } finally {
    deadline.end();
    clearTimeout(killTimer);
    stopWatching?.();
    programRuns.publish({ program: basename(program), seconds: (performance.now() - startedMs) / 1000, end });
  }
}

/** Starts a program under parent-death-watch.sh, which ends it when this process dies. */
export function startProgram(program: string, args: readonly string[], options: RunOptions): Running {
  const { maxFileBytes, maxMemoryBytes, maxCpuSeconds } = options;
  const limits = [unitsOf(maxFileBytes, 512), unitsOf(maxMemoryBytes, 1024), unitsOf(maxCpuSeconds, 1)];
  const nice = String(options.nice ?? 0);
  const child = spawn('/bin/sh', [PARENT_DEATH_WATCH, ...limits, nice, program, ...args], {
    cwd: options.cwd,
    env: { ...options.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // The shell may close its end of the pipe first, which is the normal end.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', (error) => reject(new RunStartError(error.message, { cause: error })));
    // Descendants that outlive the program would keep the pipes open.
    child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));
    // The pipes are drained on 'close', but not yet on 'exit'.
    child.once('close', (...end) => resolve({ code: end[0], signal: end[1] }));
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  return { stdout: child.stdout, stderr: child.stderr, signal: (name) => signalGroup(child.pid, name), ended };
}

/** Does nothing if the group has ended. */
export function signalGroup(groupId: number | undefined, signal: NodeJS.Signals): void {
  if (groupId === undefined) return;
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function unitsOf(limit: number | undefined, unit: number): string {
  return limit === undefined ? 'unlimited' : String(Math.ceil(limit / unit));
}

/** Splits a line that is longer than 1 MiB, so that output without newlines cannot fill the memory. */
function splitLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.on('data', (text: string) => {
    const [first = '', ...lines] = text.split('\n');
    rest += first;
    for (const line of lines) {
      onLine(rest);
      rest = line;
    }
    if (rest.length > LINE_MAX_CHARS) {
      onLine(rest);
      rest = '';
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
