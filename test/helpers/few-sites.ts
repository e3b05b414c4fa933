import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPythonProgram } from '../../sources/vidnet/warm/python-program.ts';

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
