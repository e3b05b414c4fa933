import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { processFacts, processIdentity } from '../runtime/subprocess/process-facts.ts';

/** Programs that the worker runs. */
const TOOLS = /^(yt-dlp\S*|ffmpeg|ffprobe|python[\d.]*)$/;

export type RunningProcess = ReturnType<typeof described>[number];

/** Everything that a process has started, at any depth, as Linux tells it in /proc. */
export function descendantsOf(ancestor: number): RunningProcess[] {
  const children = new Map<string, number[]>();
  for (const pid of allPids()) {
    const parentId = processFacts(pid)?.parentId;
    if (parentId !== undefined) children.set(parentId, [...(children.get(parentId) ?? []), pid]);
  }
  const below = (pid: number): number[] =>
    (children.get(String(pid)) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(ancestor).flatMap(described);
}

export function toolsOf(ancestor: number): RunningProcess[] {
  return descendantsOf(ancestor).filter(({ command }) =>
    command
      .split(' ')
      .slice(0, 2)
      .some((word) => TOOLS.test(basename(word))),
  );
}

/** The yt-dlp that a worker keeps warm, while it has calls. @returns undefined when none has any */
export function busyWarmYtdlpOf(worker: number): RunningProcess | undefined {
  // Its forks have its command, and come after it.
  const parents = toolsOf(worker).filter(({ command }) => command.includes('/warm-yt-dlp.py '));
  return parents.find(({ pid, command }) => descendantsOf(pid).some((fork) => fork.command === command));
}

/** Processes that work in a folder, or have its name in their command, ourselves left out. */
export function processesAt(folder: string): RunningProcess[] {
  return allPids()
    .filter((pid) => pid !== process.pid && (workingFolder(pid).startsWith(folder) || commandOf(pid).includes(folder)))
    .flatMap(described);
}

/**
 * Remembers everything that this process starts from now on, as far as it lives long enough to be seen. What runs already
 * (the compiler of the TypeScript loader) is none of the run's.
 */
export function watchDescendants(everyMs: number): { seen: ReadonlyMap<string, RunningProcess>; stop: () => void } {
  const own = new Set(descendantsOf(process.pid).map(({ identity }) => identity));
  const seen = new Map<string, RunningProcess>();
  const look = (): void => {
    for (const one of descendantsOf(process.pid)) if (!own.has(one.identity)) seen.set(one.identity, one);
  };
  const timer = setInterval(look, everyMs);
  return { seen, stop: () => clearInterval(timer) };
}

/** The identity: no later process gets it. */
function described(pid: number) {
  const identity = processIdentity(pid);
  return identity === undefined ? [] : [{ pid, identity, command: commandOf(pid) }];
}

function allPids(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

const commandOf = (pid: number): string =>
  lookedUp(() => readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').replaceAll('\0', ' '));
const workingFolder = (pid: number): string => lookedUp(() => readlinkSync(`/proc/${String(pid)}/cwd`));

/** A process may end while it is looked at: then it has no command and no folder. */
function lookedUp(look: () => string): string {
  try {
    return look().trim();
  } catch {
    return '';
  }
}
