import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './engines/ways.ts';

const FIRST_BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 10_000;
const MOST_FIRST_STARTS = 5;

/** One run of a program. */
export interface Run {
  /** Resolves with how it ended. */
  readonly gone: Promise<string>;
  ended(): boolean;
  /** The program's own id, once known. */
  pid(): number | undefined;
  /** Sends SIGTERM to the program, SIGKILL to all its processes. Not an error when it has ended. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
}

export interface SuperviseOptions {
  /** Name in messages. */
  readonly name: string;
  readonly launch: () => Run;
  /** Resolves when the run does its work. Rejects when it ends before, or takes too long. */
  readonly untilReady: (run: Run) => Promise<void>;
  readonly log: Log;
}

/** A program that is started again when it dies. */
export interface Supervised {
  /** The program's own id, undefined between a death and the restart. */
  readonly pid: () => number | undefined;
  /** SIGTERM, then SIGKILL after the grace time; returns when it is gone. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a program, waits until it is ready, and from then on starts it again whenever it ends, until `stop`.
 *
 * @throws what `untilReady` throws at the first start; nothing is left running then
 */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  let current = options.launch();
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  for (let starts = 1; ; starts += 1) {
    try {
      await options.untilReady(current);
      break;
    } catch (error) {
      // Killed from outside is no fault of the program: it gets another start. One that exits by itself does not.
      const wasKilled = current.ended();
      current.signal('SIGKILL');
      const how = await current.gone;
      if (!wasKilled || !how.startsWith('SIG') || starts === MOST_FIRST_STARTS) throw error;
      options.log(`${options.name} was killed (${how}) while starting, starting it again`);
      current = options.launch();
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
      current = options.launch();
      try {
        await options.untilReady(current);
        // The wait grows only for a program that can't even start.
        backOffMs = FIRST_BACK_OFF_MS;
        options.log(`${options.name} is back`);
      } catch (error) {
        if (!isStopping()) options.log(error instanceof Error ? error.message : String(error));
        // One that hangs must end first; its end starts the next round.
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

/** Signals one process; one that has ended already is no error. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
