import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The root of the project, with a slash at the end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The requirements files whose packages are part of the image, from the root of the project. */
export const IMAGE_REQUIREMENTS = [
  'local/engines/yt-dlp-requirements.txt',
  'local/engines/speech-requirements.txt',
] as const;

const lockfileSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      name: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

/** All packages of a lock file, whether or not this platform installs them; the project's own are left out. */
export function readLockfile(file: string) {
  const { packages } = lockfileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, entry]) => ({
      name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      /** An SPDX expression, if the package names one. */
      licence: entry.license,
      /** Whether `npm ci --omit=dev` may install it. */
      isProduction: entry.dev !== true,
      resolved: entry.resolved,
      integrity: entry.integrity,
    }));
}

/** A Python package as a requirements file pins it. */
export type Requirement = ReturnType<typeof readRequirements>[number];

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
