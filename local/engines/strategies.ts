import { exists } from './cache.ts';
import type { Env, Log, Setup } from './environment.ts';
import { fromSetting, requireOnPath } from './programs.ts';

/** One way to get a tool or an engine. */
export interface Strategy<T> {
  /** Short name, such as `on PATH`. */
  readonly name: string;
  /** The setting or command that would make it work, told when all strategies failed. */
  readonly hint?: string;
  /** Only looks: its failure is told once something has to be installed, so that a warm start is quiet. */
  readonly looks?: boolean;
  /** Throws the reason why it can't work here, without installing anything; for the doctor. */
  readonly possible?: () => Promise<unknown>;
  /** Tries it. A thrown error is the reason why it failed; its message is shown. */
  readonly attempt: (log: Log) => Promise<T>;
}

/** A tool or an engine with all ways to get it. */
export interface Tool<T = string> {
  readonly name: string;
  /** A setting that names the tool itself. It is taken at its word or is an error: falling back would hide the mistake. */
  readonly given?: { readonly setting: string; readonly value: string; readonly check: () => Promise<T> } | undefined;
  /** Strategies that only look. */
  readonly found: readonly Strategy<T>[];
  /** Strategies that install, into the cache for the most part. */
  readonly installed: readonly Strategy<T>[];
  /** For the doctor. @throws when it is another program */
  readonly describe: (value: T) => Promise<{ version: string; where: string }>;
}

/** What was found, and which setting or strategy led there. */
export interface Found<T> {
  readonly by: string;
  readonly value: T;
}

/** No strategy worked; the message names each with its reason and what would help. */
export class NoStrategyError extends Error {
  override readonly name = 'NoStrategyError';
}

/** Finds a tool, or sets it up. @throws {NoStrategyError}; an error that names the setting when the given one can't be used */
export async function ensure<T>({ name, given, found, installed }: Tool<T>, log: Log): Promise<Found<T>> {
  if (given !== undefined) return { by: given.setting, value: await given.check() };
  return firstWorking(name, [...found, ...installed], log);
}

/**
 * Tries strategies in their order until one works, telling each in a line.
 *
 * @param what name of the tool, shown in front of each line
 * @throws {NoStrategyError} when all failed
 */
export async function firstWorking<T>(what: string, strategies: readonly Strategy<T>[], log: Log): Promise<Found<T>> {
  const failures: string[] = [];
  const say: Log = (line) => log(`${what}: ${line}`);
  let untold: string[] = [];
  for (const strategy of strategies) {
    const { name, hint } = strategy;
    if (strategy.looks !== true) {
      untold.forEach(say);
      untold = [];
    }
    try {
      return { by: name, value: await strategy.attempt((line) => say(`${name}: ${line}`)) };
    } catch (error) {
      const reason = error instanceof Error ? firstLines(error.message) : String(error);
      if (strategy.looks === true) untold.push(`${name}: ${reason}`);
      else say(`${name}: ${reason}`);
      failures.push(`  ${name}: ${reason}${hint === undefined ? '' : `\n    what would help: ${hint}`}`);
    }
  }
  untold.forEach(say);
  throw new NoStrategyError(`${what}: no way worked.\n${failures.join('\n')}`);
}

export interface ProgramOptions {
  /** In messages. */
  readonly name: string;
  /** The setting that names the program, if there is one. */
  readonly setting?: string;
  /** What it may be called on PATH; none when only the cache is looked into. */
  readonly names: readonly string[];
  readonly hint?: string;
  /** Where installations leave it, the best first. */
  readonly cached: readonly string[];
  /** What a person is told of its version. @throws when it can't be run, or is another program */
  readonly version: (program: string) => Promise<string>;
  /** The oldest that is taken from PATH. @throws when this one is older */
  readonly checkAge?: (program: string, version: string) => void;
  readonly installed: readonly Strategy<string>[];
}

/** A tool that is one program; its value is the absolute path. */
export function programTool({ env }: Setup, options: ProgramOptions): Tool {
  const { name, setting, names, cached, version, checkAge } = options;
  const checked = async (program: string): Promise<string> => {
    await version(program);
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
          // Ubuntu's chromium-browser is there, but only tells that a snap is to be installed: the next name may work.
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
        : givenBy(env, setting, async (value) => checked(await fromSetting(setting, value, env))),
    found: [...(names.length === 0 ? [] : [onPath]), inCache(cached, checked)],
    installed: options.installed,
    describe: async (program) => ({ version: await version(program), where: program }),
  };
}

/** What an installation has left at one of these paths, the best first. */
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

/** What a setting gives, unless it is empty. A password in it is not told. */
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
