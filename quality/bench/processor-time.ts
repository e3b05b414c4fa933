import { readFileSync } from 'node:fs';
import { processFacts } from '../../runtime/subprocess/process-facts.ts';
import { descendantsOf } from '../processes.ts';
import { sum } from './rounds.ts';

/** Linux reports processor time in these ticks, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time by process name. */
export type ProcessorTime = Readonly<Record<string, number>>;

/** The last known processor time of each warm yt-dlp process. Workers replace these processes from time to time. */
const warmOnes = new Map<string, { readonly worker: number; readonly seconds: number }>();

/** Adds up processor time by process name, including warm yt-dlp processes, their forks and media tools that have ended. */
export function processorTimeOf(processes: readonly { readonly name: string; readonly pid: number }[]): ProcessorTime {
  const spent: Record<string, number> = {};
  const add = (name: string, seconds: number): void => {
    spent[name] = (spent[name] ?? 0) + seconds;
  };
  for (const { name, pid } of processes) {
    const { own, children } = secondsOf(pid);
    add(name, own);
    if (name === 'postgresql') {
      // PostgreSQL starts a process for each connection.
      add(name, children);
      for (const one of descendantsOf(pid)) add(name, secondsOf(one.pid).own);
    }
    if (name !== 'worker') continue;
    const { all, ended } = warmSecondsOf(pid);
    if (all > 0) add('yt-dlp', all);
    // The worker's own figure includes all children that have ended.
    add('ffmpeg and ffprobe', children - ended);
  }
  return spent;
}

/** Returns the time of all warm yt-dlp processes of a worker, and the part of those that have ended. */
function warmSecondsOf(worker: number): { readonly all: number; readonly ended: number } {
  const running = descendantsOf(worker).filter(({ command }) => command.includes('warm-yt-dlp.py'));
  let [all, ended] = [0, 0];
  for (const { pid, identity } of running) {
    const seconds = secondsIfRunning(pid);
    all += seconds;
    // A warm process counts its own forks when they have ended.
    if (processFacts(pid)?.parentId === String(worker)) warmOnes.set(identity, { worker, seconds });
  }
  const seen = new Set(running.map(({ identity }) => identity));
  for (const [identity, one] of warmOnes) if (one.worker === worker && !seen.has(identity)) ended += one.seconds;
  return { all: all + ended, ended };
}

/** Returns the time of a process and its ended children, or 0 if the process has just ended. */
function secondsIfRunning(pid: number): number {
  try {
    const { own, children } = secondsOf(pid);
    return own + children;
  } catch {
    return 0;
  }
}

export function differenceOf(after: ProcessorTime, before: ProcessorTime): ProcessorTime {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
}

/** Returns the time of a process, and of those children for which it has waited. */
export function secondsOf(pid: number): { readonly own: number; readonly children: number } {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // Fields from number 3; the name in field 2 may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) / TICKS_PER_SECOND, children: (childUser + childSystem) / TICKS_PER_SECOND };
}

/** @returns the memory of a process, of which shared pages count in proportion, or 0 after its end */
export function proportionalMib(pid: number): number {
  try {
    return (
      Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
    );
  } catch {
    return 0;
  }
}

/** @returns the resident memory of a process, or 0 after its end */
export function residentMib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Watches the memory of all processes that this process started.
 *
 * @returns a function that stops the watch and returns the peak of their sum; undefined where there is no /proc
 */
export function watchChildrenMemory(): () => number | undefined {
  if (process.platform !== 'linux') return () => undefined;
  let peakBytes = 0;
  const timer = setInterval(() => {
    const mib = sum(descendantsOf(process.pid).map(({ pid }) => residentMib(pid)));
    peakBytes = Math.max(peakBytes, mib * 1024 ** 2);
  }, 100);
  return () => {
    clearInterval(timer);
    return peakBytes;
  };
}
