import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this user may mount file systems; where not, the same is tested with a free space that a test makes up. */
export const canMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-mount-'));
  try {
    mountSmallDisk(folder, 1).unmount();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

export interface SmallDisk {
  /** What lies on it stays. */
  resize(sizeMib: number): void;
  unmount(): void;
}

/** Lays a file system of a few MiB over a folder. @throws where that is not allowed */
export function mountSmallDisk(folder: string, sizeMib: number): SmallDisk {
  mkdirSync(folder, { recursive: true });
  const mount = (...args: string[]): void => {
    execFileSync('mount', [...args, folder], { stdio: 'ignore' });
  };
  mount('-t', 'tmpfs', '-o', `size=${String(sizeMib)}m`, 'tmpfs');
  return {
    resize: (newMib) => mount('-o', `remount,size=${String(newMib)}m`),
    unmount: () => execFileSync('umount', ['-l', folder], { stdio: 'ignore' }),
  };
}
