import { readdir, readFile } from 'node:fs/promises';
import { extname, join, parse } from 'node:path';
import { readRttm } from './rttm.ts';

const AUDIO = new Set(['.wav', '.m4a', '.mp3', '.flac', '.ogg', '.webm', '.mp4']);

export type Recording = Awaited<ReturnType<typeof readRecordings>>[number];

/** The audio files of a folder with what its RTTM and STM files say of them: `reference` may be empty, `stm` absent. */
export async function readRecordings(folder: string) {
  const names = (await readdir(folder)).sort();
  const textsOf = async (ext: string): Promise<string[]> =>
    Promise.all(names.filter((name) => extname(name) === ext).map((name) => readFile(join(folder, name), 'utf8')));
  const segments = (await textsOf('.rttm')).flatMap(readRttm);
  const texts = (await textsOf('.stm')).flatMap(readStm);
  return names
    .filter((file) => AUDIO.has(extname(file).toLowerCase()))
    .map((file) => {
      const { name } = parse(file);
      const stm = texts.filter((text) => text.file === name);
      const reference = segments.filter((segment) => segment.file === name);
      return { name, path: join(folder, file), reference, ...(stm.length === 0 ? {} : { stm }) };
    });
}

/** NIST STM: file, channel, speaker, start, end, an optional `<label>`, text. */
function readStm(text: string) {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith(';;')) return [];
    const match = /^(\S+)\s+\S+\s+(\S+)\s+[\d.]+\s+[\d.]+\s+(?:<[^>]*>\s+)?(\S.*)$/.exec(line.trim());
    const [, file = '', speaker = '', said = ''] = match ?? [];
    return match === null ? [] : [{ file, speaker, text: said }];
  });
}
