import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { freePort } from '../../local/engines/ports.ts';
import { atOnce } from './rounds.ts';
import type { Bench } from './service.ts';

const LOOK_EVERY_MS = 20;
const START_TIMEOUT_MS = 60_000;

export interface Load {
  readonly ids: readonly string[];
  readonly jobsAtOnce: number;
  readonly folder: string;
}

/** Another program that fetches the same audio from the same pages through the same plugin. */
export type Contestant = (load: Load) => Promise<void>;

export function ytdlpForEach(bench: Bench): Contestant {
  return ({ ids, jobsAtOnce, folder }) =>
    atOnce(ids, jobsAtOnce, (id) => runToEnd(bench.tools.ytdlp, [...plainArguments(bench), pageOf(bench, id)], folder));
}

/** The bare program for each slot, with a list of videos. */
export function ytdlpForLists(bench: Bench): Contestant {
  return async ({ ids, jobsAtOnce, folder }) => {
    const slots = Array.from({ length: jobsAtOnce }, (_, slot) => slot);
    await atOnce(slots, jobsAtOnce, async (slot) => {
      const list = join(folder, `list-${String(slot)}`);
      const pages = ids.filter((_, index) => index % jobsAtOnce === slot).map((id) => pageOf(bench, id));
      await writeFile(list, pages.join('\n'));
      await runToEnd(bench.tools.ytdlp, [...plainArguments(bench), '--batch-file', list], folder);
    });
  };
}

/** The arguments that a user would write. The files are not remuxed or inspected afterwards. */
const plainArguments = ({ sandbox }: Bench): string[] => [
  ...['--ignore-config', '--no-plugin-dirs', '--plugin-dirs', sandbox.env.YTDLP_PLUGIN_DIR, '--quiet', '--no-mtime'],
  ...['--fixup', 'never', '--format', 'ba[ext=m4a]', '--output', '%(id)s.%(ext)s'],
];

const pageOf = ({ sandbox }: Bench, id: string): string => sandbox.env.VIDNET_VIDEO_URL.replace('{id}', id);

async function runToEnd(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}`);
}

const historySchema = z.object({
  done: z.array(z.object({ status: z.string(), msg: z.string().nullish(), error: z.string().nullish() })),
});

/** Starts MeTube from a checkout that has its packages in `.venv`. */
export async function startMetube(bench: Bench, checkout: string, options: { dataDir: string; jobsAtOnce: number }) {
  const port = await freePort();
  const folder = await mkdtemp(join(options.dataDir, 'metube-'));
  await mkdir(join(folder, 'state'));
  // MeTube does not start without the folder of its pages, even if they were not built.
  await mkdir(join(folder, 'ui/dist/metube/browser'), { recursive: true });
  const child = spawn(join(checkout, '.venv', 'bin', 'python3'), ['app/main.py'], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      // yt-dlp finds the plugin in this folder.
      PYTHONPATH: join(bench.sandbox.env.YTDLP_PLUGIN_DIR, 'tapedeck'),
      ...{ HOST: '127.0.0.1', PORT: String(port), DOWNLOAD_DIR: folder, STATE_DIR: join(folder, 'state') },
      ...{
        BASE_DIR: folder,
        TEMP_DIR: folder,
        MAX_CONCURRENT_DOWNLOADS: String(options.jobsAtOnce),
        LOGLEVEL: 'ERROR',
        ALLOW_PRIVATE_ADDRESSES: 'true',
        // MeTube names files by title, and the copies of a video have the same title.
        OUTPUT_TEMPLATE: '%(id)s.%(ext)s',
      },
      YTDL_OPTIONS: JSON.stringify({ fixup: 'never', ffmpeg_location: bench.tools.ffmpeg }),
    },
  });
  const url = `http://127.0.0.1:${String(port)}`;
  const done = async (): Promise<number> => {
    const { done: all } = historySchema.parse(await (await fetch(`${url}/history`)).json());
    const failed = all.find(({ status }) => status !== 'finished');
    if (failed !== undefined)
      throw new Error(`MeTube: a download is ${failed.status}: ${failed.msg ?? failed.error ?? ''}`);
    return all.length;
  };
  await waitFor(child, () =>
    done().then(
      () => true,
      () => false,
    ),
  );
  const contestant: Contestant = async ({ ids }) => {
    const before = await done();
    for (const id of ids) {
      const body = { url: pageOf(bench, id), quality: 'best', format: 'm4a', auto_start: true };
      const response = await fetch(`${url}/add`, { method: 'POST', body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`MeTube answered ${String(response.status)}: ${await response.text()}`);
    }
    while ((await done()) < before + ids.length) await delay(LOOK_EVERY_MS);
  };
  const stop = async (): Promise<void> => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { contestant, stop };
}

async function waitFor(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  const lastMs = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady())) {
    if (child.exitCode !== null || performance.now() > lastMs) {
      child.kill('SIGKILL');
      throw new Error('MeTube did not come up');
    }
    await delay(LOOK_EVERY_MS);
  }
}
