import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from '../../checks/project.ts';
import { descendantsOf } from '../../processes.ts';
import type { Finding, Part } from '../part.ts';
import { proportionalMib, secondsOf } from '../processor-time.ts';
import { median, sum } from '../rounds.ts';
import { givenEnv } from '../service.ts';

const SETTLED_MS = 15_000;
const IDLE_MS = 20_000;
const PORTS = ['PORT', 'RPC_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT'];

/** Starts `npm start` on the data of an earlier start, and measures its memory and processor time while it is idle. */
export const start: Part = {
  title: 'Starting, and being idle',
  run: async ({ dataDir, say, rounds }) => {
    // The first start compiles and creates data.
    await runOnce(dataDir, { isMeasured: false });
    const runs: Awaited<ReturnType<typeof runOnce>>[] = [];
    for (let round = 0; round < rounds; round += 1) {
      runs.push(await runOnce(dataDir, { isMeasured: true }));
      say(JSON.stringify(runs.at(-1)));
    }
    const of = (value: (run: (typeof runs)[number]) => number): number => median(runs.map(value));
    const chief = [
      { what: '`npm start`', unit: 's', value: of(({ readyMs }) => readyMs / 1_000) },
      { what: 'idle: all processes', unit: 'MiB', value: of(({ mib }) => sum(Object.values(mib))) },
      { what: 'idle: of a core', unit: '%', value: of(({ percentOfCore }) => percentOfCore) },
      { what: 'idle: changed files of the database', unit: '', value: of(({ changedFiles }) => changedFiles) },
    ];
    const names = Object.keys(runs[0]?.mib ?? {});
    const each = names.map((name) => ({
      what: `of that ${name}`,
      unit: 'MiB',
      value: of(({ mib }) => mib[name] ?? 0),
    }));
    return { findings: [...chief.map((one): Finding => ({ ...one, isChief: true })), ...each], raw: runs };
  },
};

async function runOnce(dataDir: string, { isMeasured }: { readonly isMeasured: boolean }) {
  const env = { ...givenEnv(), DATA_DIR: dataDir, ...Object.fromEntries(PORTS.map((name) => [name, '0'])) };
  const begunMs = performance.now();
  const child = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const { pid = NaN } = child;
  try {
    const names = new Map([[pid, 'npm']]);
    const ready = new Promise<number>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        for (const [, name = '', id] of line.startsWith('Processes ') ? line.matchAll(/\b(\w+) (\d+)/g) : [])
          names.set(Number(id), name);
        if (line.startsWith('Ctrl-C ')) resolve(performance.now() - begunMs);
      });
    });
    const readyMs = await Promise.race([ready, ended.then(() => Promise.reject(new Error('npm start has ended')))]);
    const processes = (): number[] => [pid, ...descendantsOf(pid).map((one) => one.pid)];
    const spent = (): number => sum(processes().map((one) => secondsOf(one).own));
    if (isMeasured) await delay(SETTLED_MS);
    const [spentBefore, filesBefore] = [spent(), await filesOf(dataDir)];
    if (isMeasured) await delay(IDLE_MS);
    const [spentAfter, filesAfter] = [spent(), await filesOf(dataDir)];
    const mib: Record<string, number> = {};
    for (const one of processes()) {
      const name = names.get(one) ?? (await nameOf(one));
      mib[name] = (mib[name] ?? 0) + proportionalMib(one);
    }
    const changedFiles = filesAfter.filter((file, index) => file !== filesBefore[index]).length;
    return { readyMs, mib, percentOfCore: (100_000 * (spentAfter - spentBefore)) / IDLE_MS, changedFiles };
  } finally {
    process.kill(-pid, 'SIGINT');
    await ended;
  }
}

const nameOf = async (pid: number): Promise<string> => (await readFile(`/proc/${String(pid)}/comm`, 'utf8')).trim();

/** @returns the name, size and time of each file of the database */
async function filesOf(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'mongodb');
  const files = await readdir(folder, { recursive: true });
  return Promise.all(
    files.toSorted().map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return `${name} ${String(size)} ${String(mtimeMs)}`;
    }),
  );
}
