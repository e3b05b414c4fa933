import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { RunKilledError, signalGroup } from './run-program.ts';

const END_TIMEOUT_MS = 5_000;
const STDERR_TAIL_CHARS = 2_000;
/** Other signals report a fault of the program itself, which another start would not mend. */
const KILLING_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM'];

interface WarmProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly readyWithinMs: number;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

export type WarmProcess = Awaited<ReturnType<typeof startWarmProcess>>;

/**
 * Starts a program that loads what its work needs and then takes orders. Orders are lines on its stdin, whose end ends it, also
 * when this process is killed. Answers are lines on descriptor 3, of which the first says that the program is ready.
 *
 * @throws when it cannot be started, or ends or is aborted before it is ready; {@link RunKilledError} if others killed it
 */
export async function startWarmProcess({ program, args, cwd, env, readyWithinMs, signal }: WarmProcessOptions) {
  const child = spawn(program, args, {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  const [orders, , errors, answers] = child.stdio as unknown as [Writable, null, Readable, Readable];
  let isUnwanted = false;
  const kill = (): void => {
    isUnwanted = true;
    signalGroup(child.pid, 'SIGKILL');
  };
  orders.on('error', () => undefined);
  let stderr = '';
  errors.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-STDERR_TAIL_CHARS)));
  let exit = '';
  let wasKilled = false;
  child.once('exit', (code, name) => {
    exit = name === null ? `it ended with ${String(code)}` : `${name} ended it`;
    wasKilled = !isUnwanted && KILLING_SIGNALS.includes(name);
  });
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      stderr = error.message;
      resolve();
    });
    child.once('close', () => resolve());
  });
  const lines = createInterface({ input: answers });
  const late = setTimeout(kill, readyWithinMs);
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill);
  const ready = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    void gone.then(() => resolve(undefined));
  }).finally(() => {
    clearTimeout(late);
    signal.removeEventListener('abort', kill);
  });
  const reason = (what: string): Error => {
    const text = [what, lastLine(stderr)].filter((part) => part !== '').join(': ');
    return wasKilled ? new RunKilledError(text) : new Error(text);
  };
  if (ready === undefined) throw reason('it did not start');
  return {
    pid: child.pid ?? NaN,
    ready: JSON.parse(ready) as unknown,
    send: (order: unknown): void => void orders.write(`${JSON.stringify(order)}\n`),
    /** Replaces the previous listener. */
    onAnswer(take: (answer: unknown) => void): void {
      lines.removeAllListeners('line').on('line', (line) => take(JSON.parse(line) as unknown));
    },
    kill,
    /** Lets it finish its work and exit. */
    end: (): void => void orders.end(),
    /** The reason why it exited: {@link RunKilledError} if others killed it, for example because the system is short of memory. */
    reason: () => reason(exit),
    gone,
    async close(): Promise<void> {
      orders.end();
      const timer = setTimeout(kill, END_TIMEOUT_MS);
      await gone.finally(() => clearTimeout(timer));
    },
  };
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
