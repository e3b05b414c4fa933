import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** The release from which operators upgrade and to which they roll back: its tag, or the last commit while there is none. */
const PREVIOUS_RELEASE = 'HEAD';

/**
 * Lays out the code of the previous release with the packages of this one.
 *
 * @returns its folder, which the caller removes
 * @throws where git does not have that commit, as in a shallow clone
 */
export function checkOutPreviousRelease(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-release-'));
  const archive = execFileSync('git', ['archive', PREVIOUS_RELEASE], { cwd: ROOT, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
