import { constants } from 'node:fs';
import { access, mkdir, symlink } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join } from 'node:path';

/** Adds links to the programs of a PATH that are found. As the PATH of a tool, the folder lets it start these programs only. */
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

/** @returns the absolute path; undefined if the program is not found */
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
