import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { signalGroup } from '../../runtime/subprocess/run-program.ts';
import { endOf, signalProcess, supervise, type Run, type Supervised, type SuperviseOptions } from '../supervise.ts';

const PARENT_DEATH_WATCH = fileURLToPath(new URL('../../runtime/subprocess/parent-death-watch.sh', import.meta.url));
const USUAL_NICE = '0';
/** An engine runs for months, so its file size, memory and processor time are not limited. */
const UNLIMITED = ['unlimited', 'unlimited', 'unlimited'];
/** A shell command that writes its process ID to descriptor 4 and becomes the program. */
const WRITE_PID = 'echo "$$" >&4; exec 4>&-; exec "$@"';

export interface DaemonOptions extends Omit<SuperviseOptions, 'launch'> {
  readonly program: string;
  readonly args: readonly string[] | (() => Promise<readonly string[]>);
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logFile: string;
  readonly check: () => Promise<void>;
}

/** Starts a program, which is restarted when it dies and ends with this process. @throws an error with the end of its log */
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
  // The program gets its own process group, so that Ctrl-C reaches only this process, which stops everything in order.
  const child = spawn(
    '/bin/sh',
    [PARENT_DEATH_WATCH, ...UNLIMITED, USUAL_NICE, '/bin/sh', '-c', WRITE_PID, 'sh', options.program, ...args],
    {
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      stdio: ['pipe', out, out, 'ignore', 'pipe'],
    },
  );
  closeSync(out);
  // The child usually closes its end first.
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
      // SIGTERM is sent to the program alone, because the parent-death watch must outlive it.
      if (name === 'SIGTERM' && pid !== undefined) signalProcess(pid, name);
      else signalGroup(child.pid, name);
    },
  };
}
