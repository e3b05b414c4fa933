import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { logTail } from './engines/log-tail.ts';
import { signalProcess, supervise, type Run, type Supervised } from './supervise.ts';
import type { Log } from './engines/ways.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TSX_LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const LIFELINE = new URL('./role-lifeline.mjs', import.meta.url).href;
/**
 * V8 lets young objects fill 48 MB a thread, and a small heap double, before it collects. Both sooner: while a list of 20,000
 * items is stored and sent, a worker needs 250 MB instead of 315, an api 150 instead of 200.
 */
const SMALL_HEAP = ['--max-semi-space-size=4', '--heap-growing-percent=20'] as const;
const READY_TIMEOUT_MS = 60_000;
const HEALTH_TIMEOUT_MS = 2_000;
const POLL_MS = 50;

export type RoleName = 'api' | 'worker';
/** Where a role's lines go: to our own output, or to `NAME.log` in a folder. */
export type Output = 'inherit' | { readonly dir: string };

export interface RoleOptions {
  readonly name: RoleName;
  /** The main file, relative to the root of the project. */
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
  /** Address that answers 200 when the role is ready; without it the role sends the message `{ "ready": true }`. */
  readonly healthUrl?: string;
  readonly log: Log;
}

/**
 * Starts a part of the service as a process of its own and waits until it is ready; it is started again when it dies.
 * It sees `disconnect` when this process is gone, and stops then.
 *
 * @throws when it ends before it is ready, or is not ready within a minute
 */
export async function startRole(options: RoleOptions): Promise<Supervised> {
  const ready = new WeakMap<Run, () => Promise<boolean>>();
  return supervise({
    name: options.name,
    launch() {
      const { run, child } = launch(options);
      let told = false;
      child.on('message', (message: unknown) => {
        if (typeof message === 'object' && message !== null && 'ready' in message && message.ready === true)
          told = true;
      });
      const { healthUrl } = options;
      ready.set(run, healthUrl === undefined ? () => Promise.resolve(told) : () => isHealthy(healthUrl));
      return run;
    },
    async untilReady(run) {
      const deadline = Date.now() + READY_TIMEOUT_MS;
      for (;;) {
        const isReady = await ready.get(run)?.();
        if (run.ended()) throw new Error(`${options.name} ended (${await run.gone}) while starting${seeLog(options)}`);
        if (isReady === true) return;
        if (Date.now() > deadline)
          throw new Error(`${options.name} was not ready within ${READY_TIMEOUT_MS / 1000} s${seeLog(options)}`);
        await delay(POLL_MS);
      }
    },
    log: options.log,
  });
}

function launch(options: RoleOptions): { run: Run; child: ChildProcess } {
  const out = options.output === 'inherit' ? 'inherit' : openLog(options.output.dir, options.name);
  // Detached: a group of its own, so a Ctrl-C at the terminal reaches only us and we stop things in order.
  const main = join(ROOT, options.main);
  const child = spawn(process.execPath, [...SMALL_HEAP, '--import', LIFELINE, '--import', TSX_LOADER, main], {
    cwd: ROOT,
    // glibc keeps what its many arenas have freed: with two, a worker needs 20 to 30 MB less.
    env: { MALLOC_ARENA_MAX: '2', ...options.env },
    detached: true,
    stdio: ['ignore', out, out, 'ipc'],
  });
  if (typeof out === 'number') closeSync(out);
  let ended = false;
  const gone = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      ended = true;
      resolve(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, by) => end(by ?? `exit code ${String(code)}`));
  });
  const { pid } = child;
  const run: Run = {
    gone,
    ended: () => ended,
    pid: () => pid,
    signal(name) {
      if (!ended && pid !== undefined) signalProcess(pid, name);
    },
  };
  return { run, child };
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status === 200;
    },
    () => false,
  );
}

function openLog(dir: string, name: RoleName): number {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return openSync(join(dir, `${name}.log`), 'a', 0o600);
}

function seeLog({ output, name }: RoleOptions): string {
  return output === 'inherit' ? '; its own lines are above' : `: ${logTail(join(output.dir, `${name}.log`))}`;
}
