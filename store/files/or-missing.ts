/** Makes a file system call return undefined for a missing path: `await stat(path).catch(orMissing)`. */
export function orMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}
