import { readFileSync } from 'node:fs';
import { z } from 'zod';

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
