import { readFileSync } from 'node:fs';
import { descendantsOf } from '../processes.ts';

/** What Linux counts in, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time so far, by what spent it. */
export type ProcessorTime = Readonly<Record<string, number>>;

/** All that processes have spent, with the warm yt-dlp and its forks, and the media tools that have ended. Equal names are added up. */
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
    add('ffmpeg and ffprobe', children);
    const warm = descendantsOf(pid).find(({ command }) => command.includes('warm-yt-dlp.py'));
    if (warm !== undefined) {
      const times = secondsOf(warm.pid);
      add('yt-dlp', times.own + times.children);
    }
  }
  return spent;
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
