import { basename, dirname, isAbsolute, join } from 'node:path';
import { readHead } from '../../../runtime/read-head.ts';
import { bareEnvironment } from '../../../runtime/subprocess/bare-environment.ts';
import { findProgram } from '../../../runtime/subprocess/linked-programs.ts';

const HEAD_BYTES = 1_024;

/** How the interpreter runs a yt-dlp that is written in Python. */
export interface PythonProgram {
  readonly python: string;
  readonly flags: readonly string[];
  readonly file: string;
  /** Whether the file only runs the module `yt_dlp`. */
  readonly isModule: boolean;
}

/** @throws for a program that does not name its Python interpreter in a known way, such as a binary */
export async function readPythonProgram(program: string): Promise<PythonProgram> {
  const { PATH = '' } = bareEnvironment(program);
  const file = isAbsolute(program) ? program : await findProgram(program, PATH);
  if (file === undefined) throw new Error(`${program} is not there`);
  const head = (await readHead(file, HEAD_BYTES)).toString('latin1');
  // The launcher of local/engines/ytdlp.ts.
  if (/^#!\/bin\/sh\nexec "\$\{0%\/\*\}\/python3" -I -m yt_dlp "\$@"\n/.test(head))
    return { python: join(dirname(file), 'python3'), flags: ['-I'], file, isModule: true };
  // The launchers of pip, for a path that is long or has a space, and of releases/install-release.ts.
  const long = /^#!\/bin\/sh\n'''exec' "?([^"\n]*python[\d.]*)"?((?: -\w+)*) "\$0" "\$@"\n/.exec(head);
  if (long !== null) {
    const [, python = '', flags = ''] = long;
    return { python, flags: flags.split(' ').slice(1), file, isModule: false };
  }
  const [, interpreter = '', rest = ''] = /^#! *(\S+)( .*)?\n/.exec(head) ?? [];
  const words = rest.split(' ').filter((word) => word !== '');
  const named = basename(interpreter) === 'env' ? words.shift() : interpreter;
  if (named === undefined || !/^python[\d.]*$/.test(basename(named))) throw new Error(`${file} is no Python script`);
  const python = isAbsolute(named) ? named : await findProgram(named, PATH);
  if (python === undefined) throw new Error(`${named}, which ${file} names, is not there`);
  return { python, flags: words, file, isModule: false };
}
