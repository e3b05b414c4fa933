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
    }),
  ),
});

/** An npm package as package-lock.json has it, whether or not this platform installs it. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, if the package names one. */
  readonly licence: string | undefined;
  /** Whether `npm ci --omit=dev` may install it. */
  readonly isProduction: boolean;
  readonly resolved: string | undefined;
  readonly integrity: string | undefined;
}

/** All packages of a lock file, the project itself left out. */
export function readLockfile(path: string): LockedPackage[] {
  const { packages } = lockfileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  return Object.entries(packages)
    .filter(([place]) => place !== '')
    .map(([place, entry]) => ({
      name: entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      licence: entry.license,
      isProduction: entry.dev !== true,
      resolved: entry.resolved,
      integrity: entry.integrity,
    }));
}
