import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPythonProgram } from '../../sources/vidnet/warm/python-program.ts';
import { createWarmYtdlp, type WarmYtdlp } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import type { YtdlpSettings, YtdlpStarter } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';

// Before the plugins: a fork of a warm one runs this again, and has them.
export const FEW_SITES = [
  'from yt_dlp.extractor import import_extractors',
  'from yt_dlp.globals import extractors',
  'import_extractors()',
  "few = lambda name: name.startswith('Youtube') or name in ('HTML5MediaEmbedIE', 'GenericIE')",
  'extractors.value = {name: one for name, one in extractors.value.items() if few(name)} if len(extractors.value) > 99 else extractors.value',
];
export const RUN_YTDLP = ['import runpy', "runpy.run_module('yt_dlp', run_name='__main__')"];

/**
 * The same yt-dlp, which knows only the sites that tests have: it starts in half a second of processor time instead of 1.6, most of which
 * goes into the address patterns of 1,800 sites.
 *
 * @returns its path in the folder; the whole one's where that is no Python program, or where a script could not name its Python
 */
export async function ytdlpOfFewSites(whole: string, folder: string): Promise<string> {
  const program = await readPythonProgram(whole).catch(() => undefined);
  if (program === undefined || program.python.includes(' ')) return whole;
  const path = join(folder, 'yt-dlp');
  await writeFile(
    path,
    [`#!${[program.python, ...program.flags].join(' ')}`, ...FEW_SITES, ...RUN_YTDLP, ''].join('\n'),
  );
  await chmod(path, 0o700);
  return path;
}

/** Whether a yt-dlp can be kept warm here: it is written in Python, and this is Linux. */
export function canBeWarm(program: string): Promise<boolean> {
  return readPythonProgram(program).then(
    () => process.platform === 'linux',
    () => false,
  );
}

/** Keeps it warm from now on. @returns undefined where that cannot be */
export async function warmOf(settings: YtdlpSettings): Promise<WarmYtdlp | undefined> {
  if (!(await canBeWarm(settings.program))) return undefined;
  const warm = createWarmYtdlp(settings);
  await warm.ready();
  return warm;
}

const kept = new Map<string, Promise<WarmYtdlp | undefined>>();
/** Where nobody answers; the extractors of plugins are loaded anyway. */
const NOWHERE = { videoUrlTemplate: 'http://127.0.0.1:1/{id}', channelUrlTemplate: 'http://127.0.0.1:1/{path}' };

/**
 * Runs yt-dlp in forks of a warm one, as the worker does. There is one for each set of plugins as long as this process lives, for
 * all its test files, and it ends with the process: to warm up takes as long as three calls that start the program.
 */
export const warmStarter: YtdlpStarter = {
  async startOf({ program, pluginDir }) {
    const key = JSON.stringify([program, pluginDir]);
    const warm =
      kept.get(key) ?? warmOf({ ...NOWHERE, program, pluginDir, maxFileBytes: 1_000_000, maxVideoHeight: 144 });
    kept.set(key, warm);
    return (await warm)?.startOf({ program, pluginDir });
  },
};
