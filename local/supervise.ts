import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './engines/environment.ts';

const FIRST_BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 10_000;
const MOST_FIRST_STARTS = 5;
const POLL_MS = 50;
const TAIL_CHARS = 600;

export interface Run {
  /** Resolves with the signal, exit code or error of the program. */
  readonly gone: Promise<string>;
  ended(): boolean;
  pid(): number | undefined;
  /** Sends SIGTERM to the program, SIGKILL to all its processes. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  check(): Promise<void>;
}

export interface SuperviseOptions {
  readonly name: string;
  readonly launch: () => Run | Promise<Run>;
  readonly readyTimeoutMs: number;
  readonly logFile: string | undefined;
  readonly log: Log;
  /** Aborts the first start. */
  readonly signal?: AbortSignal | undefined;
}

export interface Supervised {
  /** Undefined between a death and the restart. */
  readonly pid: () => number | undefined;
  /** Sends SIGTERM, then SIGKILL after the grace time, and waits for the end. */
  stop(graceMs: number): Promise<void>;
}

/** Starts a program, waits until it is ready, and restarts it until `stop`. @throws an error with the end of its log if it does not start */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  let current = await options.launch();
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  for (let starts = 1; ; starts += 1) {
    try {
      await untilReady(current, options);
      break;
    } catch (error) {
      // A program that was killed from outside is started again; one that exits is not.
      const wasKilled = current.ended();
      current.signal('SIGKILL');
      const how = await current.gone;
      options.signal?.throwIfAborted();
      if (!wasKilled || !how.startsWith('SIG') || starts === MOST_FIRST_STARTS) throw error;
      options.log(`${options.name} was killed (${how}) while starting, starting it again`);
      current = await options.launch();
    }
  }
  let backOffMs = FIRST_BACK_OFF_MS;

  const keepAlive = async (): Promise<void> => {
    for (;;) {
      const how = await current.gone;
      if (isStopping()) return;
      options.log(`${options.name} ended (${how}), starting it again in ${backOffMs} ms`);
      await delay(backOffMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return;
      backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
      try {
        current = await options.launch();
        // The stop signal went to the previous run.
        if (isStopping()) current.signal('SIGTERM');
        await untilReady(current, options);
        backOffMs = FIRST_BACK_OFF_MS;
        options.log(`${options.name} is back`);
      } catch (error) {
        if (!isStopping()) options.log(error instanceof Error ? error.message : String(error));
        // When it ends, the next attempt starts.
        current.signal('SIGKILL');
      }
    }
  };
  const kept = keepAlive();

  return {
    pid: () => (current.ended() ? undefined : current.pid()),
    async stop(graceMs) {
      stopping.abort();
      current.signal('SIGTERM');
      const timer = setTimeout(() => current.signal('SIGKILL'), graceMs);
      await kept;
      clearTimeout(timer);
    },
  };
}

async function untilReady(run: Run, { name, readyTimeoutMs, logFile, signal }: SuperviseOptions): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  const seeLog = (): string => {
    if (logFile === undefined) return 'its own lines are above';
    const text = readFileSync(logFile, 'utf8').trim();
    return text === '' ? `nothing in ${logFile}` : `${logFile} ends with: …${text.slice(-TAIL_CHARS)}`;
  };
  for (;;) {
    const reason = await run.check().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    // After the program has ended, another one may answer the check.
    if (run.ended()) throw new Error(`${name} ended (${await run.gone}) while starting: ${seeLog()}`);
    if (reason === undefined && run.pid() !== undefined) return;
    signal?.throwIfAborted();
    if (Date.now() > deadline) {
      throw new Error(`${name} did not answer within ${readyTimeoutMs} ms (${reason ?? ''}): ${seeLog()}`);
    }
    await delay(POLL_MS);
  }
}

export function endOf(child: ChildProcess, onEnd?: () => void): Pick<Run, 'gone' | 'ended'> {
  let ended = false;
  const gone = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      ended = true;
      onEnd?.();
      resolve(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, by) => end(by ?? `exit code ${String(code)}`));
  });
  return { gone, ended: () => ended };
}

export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
