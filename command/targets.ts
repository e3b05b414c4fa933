import { existsSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { UsageError } from './exit.ts';

/** Most file systems take 255 bytes; there is room left for what is added while a file is written. */
const MAX_NAME_BYTES = 200;

/** Where results are saved: the one of a file, or any number in a folder. */
export type Place = { readonly file: string } | { readonly folder: string };

export interface Naming {
  readonly title: string | undefined;
  readonly id: string;
  /** With its dot; what comes before the ending tells variants apart. */
  readonly ending: string;
}

/**
 * @param output what `--output` says
 * @throws UsageError where several would go into one file, or that would overwrite one
 */
export function placeOf(
  output: string | undefined,
  { isMany, isForced }: { readonly isMany: boolean; readonly isForced: boolean },
): Place {
  if (output === undefined) return { folder: '.' };
  const isFolder = existsSync(output) ? statSync(output).isDirectory() : output.endsWith('/');
  if (isFolder) return { folder: output };
  if (isMany) throw new UsageError(`--output: several results need a folder; ${output}/ makes one.`);
  if (existsSync(output) && !isForced)
    throw new UsageError(`--output: ${output} is there already; --force overwrites it.`);
  return { file: output };
}

/** @param index of several files of one result, from 0 */
export function pathIn(place: Place, naming: Naming, index = 0): string {
  const number = index === 0 ? '' : `-${String(index + 1)}`;
  if ('folder' in place) {
    const { ending, ...names } = naming;
    return join(place.folder, nameOf({ ...names, ending: `${number}${ending}` }));
  }
  const ending = extname(place.file);
  return index === 0 ? place.file : `${place.file.slice(0, place.file.length - ending.length)}${number}${ending}`;
}

/** A name that no system refuses, no shell takes for an option, and that leads to no other folder. */
export function nameOf({ title, id, ending }: Naming): string {
  const tail = safe(ending);
  const mark = title === undefined ? '' : ` [${shortened(safe(id), 60)}]`;
  const room = MAX_NAME_BYTES - Buffer.byteLength(mark + tail);
  const head = shortened(safe(title ?? id), room).replace(/^[\s.~-]+/, '') || '_';
  return `${head}${mark}${tail}`;
}

/** Without what means something to file systems and terminals, or cannot be seen: control characters, marks of direction. */
function safe(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/\p{C}/gu, '')
    .replace(/[/\\:*?"<>|]+/g, '_')
    .trim();
}

function shortened(text: string, bytes: number): string {
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept.trim();
}
