import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';

/** The root of the project, with a slash at the end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The requirements files whose packages are part of the image, from the root of the project. */
export const IMAGE_REQUIREMENTS = [
  'local/engines/yt-dlp-requirements.txt',
  'local/engines/speech-requirements.txt',
] as const;

/** The packages of a requirements file. @throws when a line is not an exact pin */
export function readRequirements(path: string) {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*/, '').trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, name, version, rest = ''] = /^([\w.-]+)==([\w.+!-]+)(\s.*)?$/.exec(line) ?? [];
      if (name === undefined || version === undefined) throw new Error(`${path}: not pinned exactly: ${line}`);
      // Such as `sha256:9acb…`.
      const hashes = [...rest.matchAll(/--hash=(\S+)/g)].map(([, hash = '']) => hash);
      return { name, version, hashes };
    });
}
