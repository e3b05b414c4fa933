import { constants } from 'node:fs';
import { access, mkdir, symlink } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join } from 'node:path';

/**
 * Makes a folder of links to some programs, to be the whole PATH of a tool: what the tool would start by any other name is
 * not there, even when it is installed.
 *
 * @param folder is made; links that it has already stay
 * @param names those that are nowhere are left out
 * @param path folders to look in, as in PATH
 */
export async function linkPrograms(folder: string, names: readonly string[], path: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(
    names.map(async (name) => {
      const found = await findProgram(name, path);
      if (found === undefined) return;
      await symlink(found, join(folder, basename(name))).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
    }),
  );
}

/** @returns its absolute path; undefined when it is nowhere */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    if (await isExecutable(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

export function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
