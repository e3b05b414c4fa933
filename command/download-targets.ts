import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { UsageError } from './exit-codes.ts';

/** Of a name in most file systems. */
const MAX_NAME_BYTES = 255;
/** Of the id in a name, and of its ending: the rest is for the title. */
const MAX_PART_BYTES = 60;

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
  if (index === 0) return place.file;
  const ending = extname(place.file);
  const tail = `${number}${ending}`;
  const head = shortened(basename(place.file, ending), MAX_NAME_BYTES - Buffer.byteLength(tail));
  return join(dirname(place.file), `${head}${tail}`);
}

/** A name that no system refuses, no shell takes for an option, and that leads to no other folder. */
export function nameOf({ title, id, ending }: Naming): string {
  const tail = shortened(safe(ending), MAX_PART_BYTES);
  const mark = title === undefined ? '' : ` [${shortened(safe(id), MAX_PART_BYTES)}]`;
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
