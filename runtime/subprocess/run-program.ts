import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { startDeadline } from '../deadline.ts';
import { programRuns, type ProgramEnd } from '../telemetry/diagnostics.ts';
import { watchFolder } from './folder-watch.ts';

const LIFELINE = fileURLToPath(new URL('./parent-death-watch.sh', import.meta.url));
const STDERR_TAIL_CHARS = 16_384;
const LINE_MAX_CHARS = 1_048_576;
const DEFAULT_KILL_AFTER_MS = 5_000;

export interface RunOptions {
  /** Working directory of the program. */
  readonly cwd: string;
  /** The whole environment of the program: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the whole process group: TERM, then KILL after `killAfterMs`. */
  readonly signal?: AbortSignal;
  /** Wall-clock limit in milliseconds, after which the group is ended in the same way. */
  readonly timeoutMs?: number;
  readonly killAfterMs?: number;
  /** Largest file that the program may write, in bytes (RLIMIT_FSIZE). */
  readonly maxFileBytes?: number;
  /** What the program answers when it winds up after a signal, if that is a code of its own (ffmpeg: 255). */
  readonly signalExitCode?: number;
  /** Most bytes that all files in `cwd` may hold together; more ends the run with `FolderTooLargeError`. */
  readonly maxFolderBytes?: number;
  /** Most memory that each process of the program may write to, in bytes (RLIMIT_DATA). Linux only: macOS has no such limit. */
  readonly maxMemoryBytes?: number;
  /** Most processor time of each process of the program, in seconds (RLIMIT_CPU); more ends the run with `CpuTimeError`. */
  readonly maxCpuSeconds?: number;
  /** Most characters of stdout kept in the result; more ends the run with `StdoutTooLargeError`. Default 0: none is kept. */
  readonly maxStdoutChars?: number;
  /** Called with each complete line of stdout as it arrives. */
  readonly onStdoutLine?: (line: string) => void;
  /** Called once with the id of the process group. */
  readonly onStart?: (groupId: number) => void;
  /** How it is started. Default: as a program under a lifeline. */
  readonly start?: Start;
}

/** Starts a program in a process group of its own, with the folder, the environment and the limits that the options name. */
export type Start = (program: string, args: readonly string[], options: RunOptions) => Running;

export interface Running {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Signals the whole group; one that has ended already is no error. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves when it has ended, and its output has been read to the end. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** The last 16 KiB of stderr. */
  readonly stderrTail: string;
}

/** The program ran past `timeoutMs` and was ended. */
export class RunTimeoutError extends Error {
  override readonly name = 'RunTimeoutError';
}

/** The program used more than `maxCpuSeconds` of processor time and was ended. */
export class CpuTimeError extends Error {
  override readonly name = 'CpuTimeError';
}

/** The program printed more than `maxStdoutChars` and was ended. */
export class StdoutTooLargeError extends Error {
  override readonly name = 'StdoutTooLargeError';
}

/** The program wrote more than `maxFolderBytes` and was ended. */
export class FolderTooLargeError extends Error {
  override readonly name = 'FolderTooLargeError';
}

/** The program could not be started (not found, not executable). */
export class RunStartError extends Error {
  override readonly name = 'RunStartError';
}

/** A signal ended the program that we have not sent: the system is short of memory, or the whole machine stops. */
export class RunKilledError extends Error {
  override readonly name = 'RunKilledError';
}

/**
 * What a shell answers for HUP, INT, KILL and TERM. Not for the signals of a program's own faults (SEGV and the like, which
 * come again when it is run again), nor for the limit of the file size.
 */
const KILLED_EXIT_CODES: readonly number[] = [129, 130, 137, 143];

/**
 * Runs a program to its end in a process group of its own.
 *
 * The group ends with this process, even if that is killed outright: its stdin is a lifeline (see lifeline.sh).
 *
 * @returns the exit code (a non-zero one is not an error here), stdout as far as asked for, and the tail of stderr
 * @throws the signal's reason when aborted; {@link RunTimeoutError}, {@link CpuTimeError}, {@link StdoutTooLargeError},
 * {@link FolderTooLargeError}, {@link RunStartError}, {@link RunKilledError}
 */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const startedMs = performance.now();
  let end: ProgramEnd = 'cancelled';
  try {
    const result = await runToEnd(program, args, options);
    end = result.exitCode === 0 ? 'ok' : 'failed';
    return result;
  } catch (error) {
    end = endOf(error);
    throw error;
  } finally {
    programRuns.tell(() => ({ program: basename(program), seconds: (performance.now() - startedMs) / 1000, end }));
  }
}

function endOf(error: unknown): ProgramEnd {
  if (error instanceof RunTimeoutError || error instanceof CpuTimeError) return 'timeout';
  if (error instanceof StdoutTooLargeError) return 'output_limit';
  if (error instanceof FolderTooLargeError) return 'folder_limit';
  if (error instanceof RunKilledError) return 'killed';
  return error instanceof RunStartError ? 'not_started' : 'cancelled';
}

async function runToEnd(program: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const child = (options.start ?? startProgram)(program, args, options);
  let stop: Error | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const endGroup = (reason: Error): void => {
    if (stop !== undefined) return;
    stop = reason;
    child.signal('SIGTERM');
    killTimer = setTimeout(() => child.signal('SIGKILL'), options.killAfterMs ?? DEFAULT_KILL_AFTER_MS);
  };
  const late = (): Error => new RunTimeoutError(`ran longer than ${String(options.timeoutMs)} ms`);
  const deadline = startDeadline({ signal: options.signal, timeoutMs: options.timeoutMs, late });
  deadline.signal.addEventListener('abort', () => endGroup(toError(deadline.signal.reason)));
  const { maxFolderBytes } = options;
  const stopWatching =
    maxFolderBytes === undefined
      ? undefined
      : watchFolder(options.cwd, maxFolderBytes, () =>
          endGroup(new FolderTooLargeError(`wrote more than ${maxFolderBytes} bytes`)),
        );

  let stdout = '';
  const maxStdoutChars = options.maxStdoutChars ?? 0;
  collect(child.stdout, (text) => {
    if (stdout.length >= maxStdoutChars) return;
    stdout += text;
    if (stdout.length > maxStdoutChars) {
      stdout = stdout.slice(0, maxStdoutChars);
      endGroup(new StdoutTooLargeError(`printed more than ${maxStdoutChars} characters`));
    }
  });
  if (options.onStdoutLine !== undefined) splitLines(child.stdout, options.onStdoutLine);
  let stderrTail = '';
  collect(child.stderr, (text) => (stderrTail = (stderrTail + text).slice(-STDERR_TAIL_CHARS)));

  try {
    const { code, signal } = await child.ended;
    if (stop !== undefined) throw stop;
    // The lifeline itself may be the one that was killed: then there is no code.
    if (code === null) throw new RunKilledError(`${program} was ended by ${String(signal)}`);
    // What a shell answers for XCPU.
    if (code === 152) throw new CpuTimeError(`used more than ${options.maxCpuSeconds ?? NaN} s of processor time`);
    if (KILLED_EXIT_CODES.includes(code) || code === options.signalExitCode) {
      throw new RunKilledError(`${program} was ended by a signal (exit code ${code})`);
    }
    // What a shell answers for a program that it can't find or may not execute.
    if (code === 127 || code === 126) throw new RunStartError(`cannot start ${program}: ${stderrTail.trim()}`);
    return { exitCode: code, stdout, stderrTail };
  } finally {
    deadline.end();
    clearTimeout(killTimer);
    stopWatching?.();
  }
}

/** Starts a program under a lifeline. */
export function startProgram(program: string, args: readonly string[], options: RunOptions): Running {
  const { maxFileBytes, maxMemoryBytes, maxCpuSeconds } = options;
  const limits = [unitsOf(maxFileBytes, 512), unitsOf(maxMemoryBytes, 1024), unitsOf(maxCpuSeconds, 1)];
  const child = spawn('/bin/sh', [LIFELINE, ...limits, program, ...args], {
    cwd: options.cwd,
    env: { ...options.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // The far end of the lifeline may vanish first; that is the normal end, not an error.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', (error) => reject(new RunStartError(error.message, { cause: error })));
    // Grandchildren that outlive the program (an ffmpeg whose parent crashed) would hold the pipes open.
    child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));
    // 'close' and not 'exit': the pipes are drained only then.
    child.once('close', (...end) => resolve({ code: end[0], signal: end[1] }));
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  return { stdout: child.stdout, stderr: child.stderr, signal: (name) => signalGroup(child.pid, name), ended };
}

/** Signals a whole process group; a group that has ended already is no error. */
export function signalGroup(groupId: number | undefined, signal: NodeJS.Signals): void {
  if (groupId === undefined) return;
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A limit as `ulimit` takes it. */
function unitsOf(most: number | undefined, unit: number): string {
  return most === undefined ? 'unlimited' : String(Math.ceil(most / unit));
}

function collect(stream: Readable, onText: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  stream.on('data', (chunk: Buffer) => onText(decoder.write(chunk)));
}

/** A line longer than 1 MiB is handed over in pieces, so that output without newlines cannot fill the memory. */
function splitLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  collect(stream, (text) => {
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

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
