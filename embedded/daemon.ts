import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { signalGroup } from '../subprocess/run.ts';
import type { Log } from './ways.ts';

const LIFELINE = fileURLToPath(new URL('../subprocess/lifeline.sh', import.meta.url));
/** Tells its own id on descriptor 4 and becomes the program, so the id is the program's. */
const TELL_PID = 'echo "$$" >&4; exec 4>&-; exec "$@"';
const POLL_MS = 50;
const FIRST_BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 10_000;
/** A program that ran this long before it died is restarted with the first back-off again. */
const STEADY_MS = 30_000;
const LOG_TAIL_CHARS = 600;

export interface DaemonOptions {
  /** Name in messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Stdout and stderr are appended to this file. */
  readonly logFile: string;
  /** Resolves when the program answers; rejects when it does not answer yet. */
  readonly check: () => Promise<void>;
  readonly readyTimeoutMs: number;
  readonly log: Log;
}

/** A long-living program that is restarted when it dies, and ends with this process however that ends. */
export interface Daemon {
  /** The program's own id, undefined between a death and the restart. */
  pid(): number | undefined;
  /** SIGTERM, then SIGKILL after the grace time; returns when it is gone. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a program and waits until its check passes.
 *
 * @throws when it ends before, or does not pass in time; with the end of its log
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  let stopping = false;
  let backOffMs = FIRST_BACK_OFF_MS;
  let current = launch(options);
  const wake = new AbortController();
  try {
    await untilReady(current, options);
  } catch (error) {
    signalGroup(current.child.pid, 'SIGKILL');
    await current.gone;
    throw error;
  }

  const keepAlive = async (): Promise<void> => {
    for (;;) {
      const how = await current.gone;
      if (stopping) return;
      backOffMs = Date.now() - current.startedAt > STEADY_MS ? FIRST_BACK_OFF_MS : backOffMs;
      options.log(`${options.name} ended (${how}), starting it again in ${backOffMs} ms`);
      await delay(backOffMs, undefined, { signal: wake.signal }).catch(() => undefined);
      if (wake.signal.aborted) return;
      backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
      current = launch(options);
      await untilReady(current, options).then(
        () => options.log(`${options.name} is back`),
        // Its end, if it ended, starts the next round; one that hangs must be ended first.
        (error: unknown) => {
          if (!stopping) options.log(error instanceof Error ? error.message : String(error));
          signalGroup(current.child.pid, 'SIGKILL');
        },
      );
    }
  };
  const kept = keepAlive();

  return {
    pid: () => (current.ended() ? undefined : current.pid()),
    async stop(graceMs) {
      stopping = true;
      wake.abort();
      const pid = current.pid();
      if (!current.ended()) {
        if (pid === undefined) signalGroup(current.child.pid, 'SIGTERM');
        else signal(pid, 'SIGTERM');
      }
      const timer = setTimeout(() => signalGroup(current.child.pid, 'SIGKILL'), graceMs);
      await current.gone;
      clearTimeout(timer);
      await kept;
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly startedAt: number;
  readonly gone: Promise<string>;
  ended(): boolean;
  pid(): number | undefined;
}

function launch(options: DaemonOptions): Running {
  const out = openSync(options.logFile, 'a', 0o600);
  // Detached: a group of its own, so a Ctrl-C at the terminal reaches only us and we stop things in order.
  const child = spawn(
    '/bin/sh',
    [LIFELINE, 'unlimited', '/bin/sh', '-c', TELL_PID, 'sh', options.program, ...options.args],
    {
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      stdio: ['pipe', out, out, 'ignore', 'pipe'],
    },
  );
  closeSync(out);
  child.stdin?.on('error', () => undefined);
  let pid: number | undefined;
  let ended = false;
  createInterface({ input: child.stdio[4] as Readable }).once('line', (line) => (pid = Number(line)));
  const gone = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      ended = true;
      signalGroup(child.pid, 'SIGKILL');
      resolve(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, by) => end(by ?? `exit code ${String(code)}`));
  });
  return { child, startedAt: Date.now(), gone, ended: () => ended, pid: () => pid };
}

async function untilReady(running: Running, options: DaemonOptions): Promise<void> {
  const deadline = Date.now() + options.readyTimeoutMs;
  for (;;) {
    const error: unknown = await options.check().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    // A check that passes proves nothing once the program is gone: another one may hold the port.
    if (running.ended())
      throw new Error(`${options.name} ended (${await running.gone}) while starting: ${logTail(options.logFile)}`);
    if (error === undefined && running.pid() !== undefined) return;
    if (Date.now() > deadline) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `${options.name} did not answer within ${options.readyTimeoutMs} ms (${reason}): ${logTail(options.logFile)}`,
      );
    }
    await delay(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function logTail(file: string): string {
  const text = readFileSync(file, 'utf8').trim();
  return text === '' ? `nothing in ${file}` : `…${text.slice(-LOG_TAIL_CHARS)}`;
}
