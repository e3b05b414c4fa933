import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from './engines/environment.ts';
import { endOf, signalProcess, supervise, type Run, type Supervised } from './supervise.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIFELINE = new URL('./service-lifeline.mjs', import.meta.url).href;
/**
 * V8 lets young objects fill three times as much memory a thread before it collects; much less would cost a sixth of the jobs
 * a minute. And it lets old ones grow to several times what is used: a worker held 627 MiB after 10,000 jobs, now 372.
 */
const SMALL_HEAP = ['--max-semi-space-size=16', '--heap-growing-percent=50'] as const;
/** What V8 has compiled: a third less processor time for the next start. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'tapedeck', 'compiled');
/** A small computer that does other things too starts a worker in a minute. */
const READY_TIMEOUT_MS = 180_000;
const HEALTH_TIMEOUT_MS = 2_000;

export type ServiceName = 'api' | 'worker';
/** Where the lines of a process go: to our own output, or to `NAME.log` in a folder. */
export type Output = 'inherit' | { readonly dir: string };

export interface ServiceProcessOptions {
  readonly name: ServiceName;
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
  /** Address that answers 200 when it is ready; without it the process sends the message `{ "ready": true }`. */
  readonly healthUrl: string | undefined;
  readonly log: Log;
  /** The checkout whose code runs, with its packages; by default this one. */
  readonly root?: string;
}

/**
 * Starts a part of the service as a process of its own and waits until it is ready; it is started again when it dies.
 * It sees `disconnect` when this process is gone, and stops then.
 *
 * @throws when it ends before it is ready, or is not ready within a minute
 */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<Supervised> {
  const { name, output, log } = options;
  const logFile = output === 'inherit' ? undefined : join(output.dir, `${name}.log`);
  if (output !== 'inherit') mkdirSync(output.dir, { recursive: true, mode: 0o700 });
  return supervise({ name, launch: () => launch(options, logFile), readyTimeoutMs: READY_TIMEOUT_MS, logFile, log });
}

function launch({ name, env, healthUrl, root = ROOT }: ServiceProcessOptions, logFile: string | undefined): Run {
  const out = logFile === undefined ? 'inherit' : openSync(logFile, 'a', 0o600);
  const main = join(root, name, 'main.ts');
  const child = spawn(process.execPath, [...SMALL_HEAP, '--import', LIFELINE, main], {
    cwd: root,
    // glibc keeps what its many arenas have freed: with two, a worker needs 20 to 30 MB less.
    env: { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: COMPILED, ...env },
    // A group of its own, so a Ctrl-C at the terminal reaches only us and we stop things in order.
    detached: true,
    stdio: ['ignore', out, out, 'ipc'],
  });
  if (typeof out === 'number') closeSync(out);
  let isReady = false;
  child.on('message', (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'ready' in message) isReady ||= message.ready === true;
  });
  const end = endOf(child);
  const { pid } = child;
  return {
    ...end,
    pid: () => pid,
    signal(signal) {
      if (!end.ended() && pid !== undefined) signalProcess(pid, signal);
    },
    async check() {
      if (healthUrl !== undefined) await checkHealth(healthUrl);
      else if (!isReady) throw new Error('it is not ready yet');
    },
  };
}

async function checkHealth(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`${url} answered ${String(response.status)}`);
}
