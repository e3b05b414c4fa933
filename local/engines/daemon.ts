import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { signalGroup } from '../../runtime/subprocess/run-program.ts';
import { endOf, signalProcess, supervise, type Run, type Supervised, type SuperviseOptions } from '../supervise.ts';

const LIFELINE = fileURLToPath(new URL('../../runtime/subprocess/parent-death-watch.sh', import.meta.url));
/** File size, memory and processor time: an engine runs for months. */
const UNLIMITED = ['unlimited', 'unlimited', 'unlimited'];
/** Tells its own id on descriptor 4 and becomes the program, so the id is the program's. */
const TELL_PID = 'echo "$$" >&4; exec 4>&-; exec "$@"';

export interface DaemonOptions extends Omit<SuperviseOptions, 'launch'> {
  readonly program: string;
  /** A function is called at each launch. */
  readonly args: readonly string[] | (() => Promise<readonly string[]>);
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Stdout and stderr are appended to this file. */
  readonly logFile: string;
  /** Resolves when the program answers; rejects when it does not answer yet. */
  readonly check: () => Promise<void>;
}

/**
 * Starts a long-living program and waits until its check passes. It is started again when it dies, and ends with this
 * process however that ends.
 *
 * @throws when it ends before, or does not pass in time; with the end of its log
 */
export async function startDaemon(options: DaemonOptions): Promise<Supervised> {
  mkdirSync(dirname(options.logFile), { recursive: true, mode: 0o700 });
  const { args } = options;
  return supervise({
    ...options,
    launch: async () => launch(options, typeof args === 'function' ? await args() : args),
  });
}

function launch(options: DaemonOptions, args: readonly string[]): Run {
  const out = openSync(options.logFile, 'a', 0o600);
  // Detached: a group of its own, so a Ctrl-C at the terminal reaches only us and we stop things in order.
  const child = spawn('/bin/sh', [LIFELINE, ...UNLIMITED, '/bin/sh', '-c', TELL_PID, 'sh', options.program, ...args], {
    cwd: options.cwd,
    env: { ...options.env },
    detached: true,
    stdio: ['pipe', out, out, 'ignore', 'pipe'],
  });
  closeSync(out);
  // The far end of the lifeline may vanish first; that is the normal end, not an error.
  child.stdin?.on('error', () => undefined);
  let pid: number | undefined;
  createInterface({ input: child.stdio[4] as Readable }).once('line', (line) => (pid = Number(line)));
  const end = endOf(child, () => signalGroup(child.pid, 'SIGKILL'));
  return {
    ...end,
    pid: () => pid,
    check: options.check,
    signal(name) {
      if (end.ended()) return;
      // TERM goes to the program alone: the lifeline must keep watching while the program winds up.
      if (name === 'SIGTERM' && pid !== undefined) signalProcess(pid, name);
      else signalGroup(child.pid, name);
    },
  };
}
