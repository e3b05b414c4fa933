import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { unescape } from 'node:querystring';
import { MAX_NAME_BYTES, fileNameOf, safeFileName, shortened, type Naming } from '../runtime/file-names.ts';
import { UsageError } from './exit-codes.ts';

/** The target of results: one given file, or a folder. */
export type SaveTarget = { readonly file: string } | { readonly folder: string };

/** @throws UsageError if several results would go into one file, or an existing file would be overwritten */
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

/** Names a file as the last part of its link, which follows the user's template. The service may be hostile, so the name is made safe. */
export function pathByLink(folder: string, link: string): string {
  const { pathname } = new URL(link);
  const ending = extname(pathname);
  return join(folder, safeFileName(unescape(basename(pathname, ending)), ending));
}

/** @param index the index among several files of one result, from 0 */
export function pathIn(target: SaveTarget, naming: Naming, index = 0): string {
  const number = index === 0 ? '' : `-${String(index + 1)}`;
  if ('folder' in target) {
    const { ending, ...names } = naming;
    return join(target.folder, fileNameOf({ ...names, ending: `${number}${ending}` }));
  }
  if (index === 0) return target.file;
  const ending = extname(target.file);
  const tail = `${number}${ending}`;
  const head = shortened(basename(target.file, ending), MAX_NAME_BYTES - Buffer.byteLength(tail));
  return join(dirname(target.file), `${head}${tail}`);
}
