import { resolve } from 'node:path';
import { findProgram, isExecutable } from '../../runtime/subprocess/linked-programs.ts';
import { run, type RunResult } from '../../runtime/subprocess/run-program.ts';
import { installerEnv, programEnv, type Env, type Log } from './environment.ts';

const VERSION_TIMEOUT_MS = 30_000;
/** Building a server takes minutes, and networks may be slow. */
const STEP_TIMEOUT_MS = 30 * 60_000;
const PROGRESS_EVERY_MS = 10_000;

export function findOnPath(name: string, env: Env): Promise<string | undefined> {
  return findProgram(name, env['PATH'] ?? '');
}

export async function requireOnPath(name: string, env: Env): Promise<string> {
  const path = await findOnPath(name, env);
  if (path === undefined) throw new Error(`${name} is not on PATH`);
  return path;
}

export async function fromSetting(setting: string, value: string, env: Env): Promise<string> {
  const path = value.includes('/') ? resolve(value) : await findOnPath(value, env);
  if (path === undefined || !(await isExecutable(path)))
    throw new Error(`${setting}=${value} is not a program that can be run`);
  return path;
}

export async function capture(program: string, args: readonly string[], env: Env): Promise<string> {
  const result = await run(program, args, {
    cwd: '/',
    env: programEnv(env),
    timeoutMs: VERSION_TIMEOUT_MS,
    maxStdoutChars: 1_000_000,
  });
  mustSucceed(program, result);
  return result.stdout.trim();
}

export async function step(
  [program, ...args]: readonly [string, ...string[]],
  options: { cwd: string; env: Env; log: Log; what: string },
): Promise<void> {
  const started = Date.now();
  const seconds = (): string => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  options.log(options.what);
  const timer = setInterval(() => options.log(`${options.what}, ${seconds()} so far`), PROGRESS_EVERY_MS);
  try {
    const env = installerEnv(options.env);
    const result = await run(program, args, { cwd: options.cwd, env, timeoutMs: STEP_TIMEOUT_MS });
    mustSucceed(program, result);
    options.log(`${options.what}: done in ${seconds()}`);
  } finally {
    clearInterval(timer);
  }
}

const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** Compares versions such as 2026.08.19. A version that does not begin with a number is older than all others. */
export function isAtLeast(version: string, oldest: string): boolean {
  return /^\d/.test(version) && BY_NUMBERS.compare(version, oldest) >= 0;
}

function mustSucceed(program: string, { exitCode, stderrTail }: RunResult): void {
  const end = stderrTail.trim().split('\n').slice(-2).join(' ').slice(-300);
  if (exitCode !== 0) throw new Error(`${program} ended with ${String(exitCode)}: ${end}`);
}
