import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** The release from which people upgrade, and to which they roll back. */
const RELEASE = '5ef51aa';

/**
 * Lays out the code of the release before, with this one's packages.
 *
 * @returns its folder, to be removed by the caller
 * @throws where git does not have that commit, as in a shallow clone
 */
export function checkOutReleaseBefore(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-release-'));
  const archive = execFileSync('git', ['archive', RELEASE], { cwd: ROOT, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
