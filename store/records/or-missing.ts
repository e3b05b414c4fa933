/** For a call of the file system that may find nothing: `await stat(path).catch(orMissing)` is undefined then. */
export function orMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}
