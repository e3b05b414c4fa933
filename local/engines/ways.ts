/** Receives one finished line for a person. */
export type Log = (line: string) => void;

/** One way to get a tool or an engine. */
export interface Way<T> {
  /** Short name, such as `on PATH`. */
  readonly name: string;
  /** The setting or command that would make this way work, told when all ways failed. */
  readonly hint?: string;
  /** Only looks: its failure is told once something has to be installed, so that a warm start is quiet. */
  readonly looks?: boolean;
  /** Throws the reason why this way can't work here, without installing anything; for the doctor. */
  readonly possible?: () => Promise<unknown>;
  /** Tries it. A thrown error is the reason why this way failed; its message is shown. */
  readonly attempt: (log: Log) => Promise<T>;
}

/** What was found, and which way led there. */
export interface Found<T> {
  readonly way: string;
  readonly value: T;
}

/** No way worked; the message names each with its reason and what would help. */
export class NoWayError extends Error {
  override readonly name = 'NoWayError';
}

/**
 * Tries ways in their order until one works, telling each in a line.
 *
 * @param what name of the tool, shown in front of each line
 * @throws {NoWayError} when all failed
 */
export async function firstWay<T>(what: string, ways: readonly Way<T>[], log: Log): Promise<Found<T>> {
  const failures: string[] = [];
  const say: Log = (line) => log(`${what}: ${line}`);
  let untold: string[] = [];
  for (const way of ways) {
    if (way.looks !== true) {
      untold.forEach(say);
      untold = [];
    }
    try {
      const value = await way.attempt((line) => say(`${way.name}: ${line}`));
      return { way: way.name, value };
    } catch (error) {
      const reason = error instanceof Error ? firstLines(error.message) : String(error);
      if (way.looks === true) untold.push(`${way.name}: ${reason}`);
      else say(`${way.name}: ${reason}`);
      failures.push(`  ${way.name}: ${reason}${way.hint === undefined ? '' : `\n    what would help: ${way.hint}`}`);
    }
  }
  untold.forEach(say);
  throw new NoWayError(`${what}: no way worked.\n${failures.join('\n')}`);
}

function firstLines(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(0, 3).join(' | ').slice(0, 500);
}
