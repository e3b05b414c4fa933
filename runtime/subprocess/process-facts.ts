import { readFileSync } from 'node:fs';

interface ProcessFacts {
  readonly parentId: string;
  /** The start time in clock ticks, which is unique together with the process ID. */
  readonly startedAt: string;
}

/** @returns undefined if the process does not run, is a zombie, or the system has no /proc */
export function processFacts(pid: number | string): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // Field 2 is the name, which may contain spaces and parentheses, so the fields are counted after the last parenthesis.
    const [state, parentId = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { parentId, startedAt: rest[17] ?? '' };
  } catch {
    return undefined;
  }
}

/**
 * An identity that no later process has: the process ID and start time. Without /proc it is the ID alone.
 *
 * @returns undefined if the process does not run
 */
export function processIdentity(pid: number): string | undefined {
  const facts = processFacts(pid);
  if (facts !== undefined) return `${pid}-${facts.startedAt}`;
  if (process.platform === 'linux') return undefined;
  try {
    process.kill(pid, 0);
    return String(pid);
  } catch {
    return undefined;
  }
}
