import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { processFacts, processIdentity } from '../runtime/subprocess/process-facts.ts';

/** Programs that the worker runs. */
const TOOLS = /^(yt-dlp\S*|ffmpeg|ffprobe|python[\d.]*)$/;

export type RunningProcess = ReturnType<typeof described>[number];

/** Returns all descendants of a process, as listed in /proc. */
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

/** Returns the warm yt-dlp process of a worker that is running a call, if there is one. */
export function busyWarmYtdlpOf(worker: number): RunningProcess | undefined {
  // Its forks have the same command and are listed after it.
  const parents = toolsOf(worker).filter(({ command }) => command.includes('/warm-yt-dlp.py '));
  return parents.find(({ pid, command }) => descendantsOf(pid).some((fork) => fork.command === command));
}

/** Returns other processes whose working directory is in a folder, or whose command contains its name. */
export function processesAt(folder: string): RunningProcess[] {
  return allPids()
    .filter((pid) => pid !== process.pid && (workingFolder(pid).startsWith(folder) || commandOf(pid).includes(folder)))
    .flatMap(described);
}

/** Records the processes that this process starts from now on. Earlier ones, such as the TypeScript compiler, are ignored. */
export function watchDescendants(everyMs: number): { seen: ReadonlyMap<string, RunningProcess>; stop: () => void } {
  const own = new Set(descendantsOf(process.pid).map(({ identity }) => identity));
  const seen = new Map<string, RunningProcess>();
  const look = (): void => {
    for (const one of descendantsOf(process.pid)) if (!own.has(one.identity)) seen.set(one.identity, one);
  };
  const timer = setInterval(look, everyMs);
  return { seen, stop: () => clearInterval(timer) };
}

/** The identity differs between processes that get the same ID one after another. */
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

/** Returns an empty text for a process that has just ended. */
function lookedUp(look: () => string): string {
  try {
    return look().trim();
  } catch {
    return '';
  }
}
