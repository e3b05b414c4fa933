import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from './engines/environment.ts';
import { endOf, signalProcess, supervise, type Run, type Supervised } from './supervise.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PARENT_WATCH = new URL('./service-lifeline.mjs', import.meta.url).href;
/** With these options a worker uses 372 MiB after 10,000 jobs instead of 627. A smaller semi-space costs a sixth of the jobs per minute. */
const SMALL_HEAP = ['--max-semi-space-size=16', '--heap-growing-percent=50'] as const;
/** Compiled code saves a third of the processor time of a start. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'tapedeck', 'compiled');
/** A busy small computer needs a minute to start a worker. */
const READY_TIMEOUT_MS = 180_000;
const HEALTH_TIMEOUT_MS = 2_000;

export type ServiceName = 'api' | 'worker';
/** The output of this process, or the file `NAME.log` in a folder. */
export type Output = 'inherit' | { readonly dir: string };

export interface ServiceProcessOptions {
  readonly name: ServiceName;
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
  /** A URL that answers 200 when the process is ready. Without it, the process sends the message `{ "ready": true }`. */
  readonly healthUrl: string | undefined;
  readonly log: Log;
  /** Aborts the first start. */
  readonly signal?: AbortSignal;
  /** The checkout whose code runs; default: this one. */
  readonly root?: string;
}

/** Starts a process that is restarted when it dies, and stops when this process is gone. @throws if it is not ready in time */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<Supervised> {
  const { name, output, log, signal } = options;
  const logFile = output === 'inherit' ? undefined : join(output.dir, `${name}.log`);
  if (output !== 'inherit') mkdirSync(output.dir, { recursive: true, mode: 0o700 });
  return supervise({
    name,
    launch: () => launch(options, logFile),
    readyTimeoutMs: READY_TIMEOUT_MS,
    logFile,
    log,
    signal,
  });
}

function launch({ name, env, healthUrl, root = ROOT }: ServiceProcessOptions, logFile: string | undefined): Run {
  const out = logFile === undefined ? 'inherit' : openSync(logFile, 'a', 0o600);
  const main = join(root, name, 'main.ts');
  const child = spawn(process.execPath, [...SMALL_HEAP, '--import', PARENT_WATCH, main], {
    cwd: root,
    // Fewer arenas of glibc save 20 to 30 MB in each worker.
    env: { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: COMPILED, ...env },
    // The process gets its own process group, so that Ctrl-C reaches only this process, which stops everything in order.
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
