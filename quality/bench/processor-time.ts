import { readFileSync } from 'node:fs';
import { processFacts } from '../../runtime/subprocess/process-facts.ts';
import { descendantsOf } from '../processes.ts';

/** What Linux counts in, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time so far, by what spent it. */
export type ProcessorTime = Readonly<Record<string, number>>;

/** What warm yt-dlps had spent when they were last seen, by themselves; they are replaced now and then. */
const warmOnes = new Map<string, { readonly worker: number; readonly seconds: number }>();

/** All that processes have spent, with the warm yt-dlps and their forks, and the media tools that have ended. Equal names are added up. */
export function processorTimeOf(processes: readonly { readonly name: string; readonly pid: number }[]): ProcessorTime {
  const spent: Record<string, number> = {};
  const add = (name: string, seconds: number): void => {
    spent[name] = (spent[name] ?? 0) + seconds;
  };
  for (const { name, pid } of processes) {
    const { own, children } = secondsOf(pid);
    add(name, own);
    if (name === 'postgresql') {
      // A process for each connection.
      add(name, children);
      for (const one of descendantsOf(pid)) add(name, secondsOf(one.pid).own);
    }
    if (name !== 'worker') continue;
    const { all, ended } = warmSecondsOf(pid);
    if (all > 0) add('yt-dlp', all);
    // The worker counts what has ended among its children, whatever it was.
    add('ffmpeg and ffprobe', children - ended);
  }
  return spent;
}

/** Of the warm yt-dlps of a worker, running calls included, and of those that have ended since they were seen. */
function warmSecondsOf(worker: number): { readonly all: number; readonly ended: number } {
  const running = descendantsOf(worker).filter(({ command }) => command.includes('warm-yt-dlp.py'));
  let [all, ended] = [0, 0];
  for (const { pid, identity } of running) {
    const seconds = secondsIfRunning(pid);
    all += seconds;
    // The others are its forks, which it counts when they have ended.
    if (processFacts(pid)?.parentId === String(worker)) warmOnes.set(identity, { worker, seconds });
  }
  const seen = new Set(running.map(({ identity }) => identity));
  for (const [identity, one] of warmOnes) if (one.worker === worker && !seen.has(identity)) ended += one.seconds;
  return { all: all + ended, ended };
}

/** Own and of ended children; 0 of what has ended between two looks. */
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

/** Of a process, and of those of its children that it has seen end. */
export function secondsOf(pid: number): { readonly own: number; readonly children: number } {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // From field 3 on; the name in field 2 may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) / TICKS_PER_SECOND, children: (childUser + childSystem) / TICKS_PER_SECOND };
}

export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;
}

const LOOK_EVERY_MS = 100;

/**
 * Watches the memory of all processes that this one started.
 *
 * @returns a function that ends it and gives the most bytes that they held together; undefined where there is no /proc
 */
export function watchChildrenMemory(): () => number | undefined {
  if (process.platform !== 'linux') return () => undefined;
  let peakBytes = 0;
  const timer = setInterval(() => {
    const bytes = descendantsOf(process.pid).reduce((sum, { pid }) => sum + residentBytes(pid), 0);
    peakBytes = Math.max(peakBytes, bytes);
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return peakBytes;
  };
}

function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
