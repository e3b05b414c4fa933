import { readFileSync } from 'node:fs';

/** What the system tells of a running process. */
export interface ProcessFacts {
  readonly parentId: string;
  /** When it started, in the system's own unit: with the process id, unique. */
  readonly startedAt: string;
}

/** @returns undefined when there is no such process, when it is dead and not reaped, or where the system does not tell */
export function processFacts(pid: number | string): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // Fields from 3 on; the name in field 2 may hold spaces and parentheses, so count after the last one.
    const [state, parentId = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie keeps its id until its parent asks for it, and holds nothing any more.
    return state === 'Z' ? undefined : { parentId, startedAt: rest[17] ?? '' };
  } catch {
    return undefined;
  }
}

/**
 * A name of a process that no later one gets: its id and start time. Where the system does not tell the time, the id alone.
 *
 * @returns undefined when the process does not run
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
