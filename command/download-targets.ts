import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { UsageError } from './exit-codes.ts';

/** The limit of a file name in most file systems. */
const MAX_NAME_BYTES = 255;
/** The limits of the ID and the ending in a file name; the title gets the rest. */
const MAX_PART_BYTES = 60;

/** The target of results: one given file, or a folder. */
export type SaveTarget = { readonly file: string } | { readonly folder: string };

export interface Naming {
  readonly title: string | undefined;
  readonly id: string;
  /** The ending with its dot; text before the dot distinguishes variants. */
  readonly ending: string;
}

/**
 * @param output the value of `--output`
 * @throws UsageError if several results would go into one file, or an existing file would be overwritten
 */
export function targetOf(
  output: string | undefined,
  { isMany, isForced }: { readonly isMany: boolean; readonly isForced: boolean },
): SaveTarget {
  if (output === undefined) return { folder: '.' };
  const isFolder = existsSync(output) ? statSync(output).isDirectory() : output.endsWith('/');
  if (isFolder) return { folder: output };
  if (isMany) throw new UsageError(`--output: several results need a folder; ${output}/ makes one.`);
  if (existsSync(output) && !isForced)
    throw new UsageError(`--output: ${output} already exists; --force overwrites it.`);
  return { file: output };
}

/** @param index the index among several files of one result, from 0 */
export function pathIn(target: SaveTarget, naming: Naming, index = 0): string {
  const number = index === 0 ? '' : `-${String(index + 1)}`;
  if ('folder' in target) {
    const { ending, ...names } = naming;
    return join(target.folder, nameOf({ ...names, ending: `${number}${ending}` }));
  }
  if (index === 0) return target.file;
  const ending = extname(target.file);
  const tail = `${number}${ending}`;
  const head = shortened(basename(target.file, ending), MAX_NAME_BYTES - Buffer.byteLength(tail));
  return join(dirname(target.file), `${head}${tail}`);
}

/** Returns a file name that every system accepts, no shell reads as an option, and that cannot lead to another folder. */
export function nameOf({ title, id, ending }: Naming): string {
  const tail = shortened(safe(ending), MAX_PART_BYTES);
  const mark = title === undefined ? '' : ` [${shortened(safe(id), MAX_PART_BYTES)}]`;
  const room = MAX_NAME_BYTES - Buffer.byteLength(mark + tail);
  const head = shortened(safe(title ?? id), room).replace(/^[\s.~-]+/, '') || '_';
  return `${head}${mark}${tail}`;
}

/** Removes characters with a meaning for file systems or terminals, and invisible ones: control and direction characters. */
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
