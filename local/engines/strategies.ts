import { exists } from './cache.ts';
import type { Env, Log, Setup } from './environment.ts';
import { fromSetting, requireOnPath } from './programs.ts';

export interface Strategy<T> {
  readonly name: string;
  /** The setting or command that would make it work; shown when all strategies failed. */
  readonly hint?: string;
  /** The strategy only searches. Its failure is shown only if something must be installed, so that a later start is quiet. */
  readonly looks?: boolean;
  /** The doctor calls it. @throws the reason why it cannot work here */
  readonly possible?: () => Promise<unknown>;
  readonly attempt: (log: Log) => Promise<T>;
}

export interface Tool<T = string> {
  readonly name: string;
  /** A setting that names the tool. A wrong value is an error: falling back would hide the mistake. */
  readonly given?: { readonly setting: string; readonly value: string; readonly check: () => Promise<T> } | undefined;
  readonly found: readonly Strategy<T>[];
  readonly installed: readonly Strategy<T>[];
  readonly describe: (value: T) => Promise<{ version: string; where: string }>;
}

export interface Found<T> {
  readonly by: string;
  readonly value: T;
}

/** Thrown if no strategy worked. The message lists reasons and hints. */
export class NoStrategyError extends Error {
  override readonly name = 'NoStrategyError';
}

/** Finds a tool or installs it. @throws {NoStrategyError}; an error that names the setting if its program cannot be used */
export async function ensure<T>({ name, given, found, installed }: Tool<T>, log: Log): Promise<Found<T>> {
  if (given !== undefined) return { by: given.setting, value: await given.check() };
  return firstWorking(name, [...found, ...installed], log);
}

export async function firstWorking<T>(what: string, strategies: readonly Strategy<T>[], log: Log): Promise<Found<T>> {
  const failures: string[] = [];
  const say: Log = (line) => log(`${what}: ${line}`);
  let quiet: string[] = [];
  for (const strategy of strategies) {
    const { name, hint } = strategy;
    if (strategy.looks !== true) {
      quiet.forEach(say);
      quiet = [];
    }
    try {
      return { by: name, value: await strategy.attempt((line) => say(`${name}: ${line}`)) };
    } catch (error) {
      const reason = error instanceof Error ? firstLines(error.message) : String(error);
      if (strategy.looks === true) quiet.push(`${name}: ${reason}`);
      else say(`${name}: ${reason}`);
      failures.push(`  ${name}: ${reason}${hint === undefined ? '' : `\n    what would help: ${hint}`}`);
    }
  }
  quiet.forEach(say);
  throw new NoStrategyError(`${what}: it could not be installed.\n${failures.join('\n')}`);
}

export interface ProgramOptions {
  readonly name: string;
  readonly setting?: string;
  /** Its names on PATH; none when only the cache is searched. */
  readonly names: readonly string[];
  readonly hint?: string;
  /** Paths of installed programs, the best first. */
  readonly cached: readonly string[];
  readonly version: (program: string) => Promise<string>;
  readonly checkAge?: (program: string, version: string) => void;
  /** Checks an installed program at each start, instead of running it. */
  readonly checkCached?: (program: string) => Promise<unknown>;
  readonly installed: readonly Strategy<string>[];
}

export function programTool({ env }: Setup, options: ProgramOptions): Tool {
  const { name, setting, names, cached, version, checkAge } = options;
  const checkedBy =
    (check: (program: string) => Promise<unknown>) =>
    async (program: string): Promise<string> => {
      await check(program);
      return program;
    };
  const onPath: Strategy<string> = {
    name: 'on PATH',
    looks: true,
    ...(options.hint === undefined ? {} : { hint: options.hint }),
    attempt: async () => {
      const reasons: string[] = [];
      for (const one of names) {
        try {
          const program = await requireOnPath(one, env);
          checkAge?.(program, await version(program));
          return program;
        } catch (error) {
          // Ubuntu's chromium-browser only says that a snap must be installed; the next name may work.
          reasons.push(error instanceof Error ? error.message : String(error));
        }
      }
      throw new Error(reasons.join('; '));
    },
  };
  return {
    name,
    given:
      setting === undefined
        ? undefined
        : givenBy(env, setting, async (value) => checkedBy(version)(await fromSetting(setting, value, env))),
    found: [...(names.length === 0 ? [] : [onPath]), inCache(cached, checkedBy(options.checkCached ?? version))],
    installed: options.installed,
    describe: async (program) => ({ version: await version(program), where: program }),
  };
}

/** Checks a program that is a single file, which was run before it was installed by a rename. */
export const wasChecked = (): Promise<void> => Promise.resolve();

export function inCache<T>(paths: readonly string[], use: (path: string) => Promise<T>): Strategy<T> {
  return {
    name: 'in the cache',
    looks: true,
    attempt: async () => {
      for (const path of paths) if (await exists(path)) return use(path);
      throw new Error('not there yet');
    },
  };
}

/** The tool that a setting names, unless the setting is empty. `value` contains no password. */
export function givenBy<T>(env: Env, setting: string, check: (value: string) => Promise<T>): Tool<T>['given'] {
  const value = env[setting];
  if (value === undefined || value === '') return undefined;
  return { setting, value: withoutPassword(value), check: () => check(value) };
}

export function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//');
}

function firstLines(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(0, 3).join(' | ').slice(0, 500);
}
