import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fetchFile, fetchSums, forget, RefusedError } from '../../outbound/fetch-url.ts';
import { showFetched, type ProgressView } from '../../runtime/terminal-progress.ts';
import { sha256Of } from '../../store/files/checksum.ts';
import { ASR, type CatalogueModel } from './catalogue.ts';
import { inspectModel } from './inspect.ts';
import { readLock, writeLock, damagedFilesIn, type PinnedModel } from './models-folder.ts';
import { BadArchiveError, requireSpace, unpack } from './unpack.ts';

/** Hidden, so that it does not count as a model. */
const DOWNLOADS = '.downloads';
/** The ratio of unpacked to packed size, to reserve disk space: weights hardly compress. */
const UNPACKED_FACTOR = 1.6;
const MAX_FAILURES = 4;
const CHECKSUMS = 'checksum.txt';

export interface InstallOptions {
  /** The absolute path, which is created if it does not exist. */
  readonly modelsDir: string;
  /** The URL below which each release is a folder. */
  readonly baseUrl: string;
  readonly say: (line: string) => void;
  readonly view: ProgressView;
  readonly signal: AbortSignal;
}

/** Atomic. After an error an existing installation stays, and the next run continues the download. */
export async function installModel(model: CatalogueModel, options: InstallOptions): Promise<boolean> {
  const { modelsDir, baseUrl, say, view } = options;
  await mkdir(join(modelsDir, DOWNLOADS), { recursive: true });
  const installed = (await readLock(modelsDir)).models[model.name];
  if (installed !== undefined && (await damagedFilesIn(join(modelsDir, model.name), installed)).length === 0)
    return false;

  const releaseUrl = `${baseUrl}/${model.release}`;
  const url = `${releaseUrl}/${encodeURIComponent(model.file)}`;
  const published = await publishedSum(releaseUrl, model.file, options);
  const download = await fetchWithinSpace(url, join(modelsDir, DOWNLOADS, model.file), options);
  const checksum = await sha256Of(download);
  const expected = published ?? installed?.sha256;
  if (expected !== undefined && expected !== checksum) {
    await forget(download);
    const source = published === undefined ? 'that of the previous installation' : "the release's checksum";
    throw new Error(`${url} has the SHA-256 ${checksum}, which is not ${source}, ${expected}`);
  }
  view.end();
  if (published === undefined)
    say(`${model.file}: the release has no checksum for it; the checksum of this download is recorded`);
  const { size } = await stat(download);
  const files = await installFiles(model, download, options).catch(async (error: unknown) => {
    if (!(error instanceof BadArchiveError)) throw error;
    // Otherwise the next run would continue with it.
    await forget(download);
    throw new Error(
      `${url} cannot be unpacked: ${error.message}. It was removed; fetch it again by npm run models -- install ${model.name}, and if that fails too, install another model`,
      { cause: error },
    );
  });
  await forget(download);
  const pinned: PinnedModel = {
    url,
    sizeBytes: size,
    sha256: checksum,
    isPublishedSum: published !== undefined,
    files,
  };
  // The lock file is read again because another run may have installed another model.
  const { models } = await readLock(modelsDir);
  await writeLock(modelsDir, { models: { ...models, [model.name]: pinned } });
  return true;
}

/** @throws {UnreachableError} */
export async function reachReleases(baseUrl: string, signal: AbortSignal): Promise<void> {
  await fetchSums(`${baseUrl}/${ASR}/${CHECKSUMS}`, { signal, mostFailures: 1 }).catch((error: unknown) => {
    // An error status shows that the host is reachable.
    if (!(error instanceof RefusedError)) throw error;
  });
}

/** @returns undefined if the release has no checksum for the file, as that of the segmentation models */
async function publishedSum(releaseUrl: string, file: string, { signal }: InstallOptions): Promise<string | undefined> {
  try {
    return (await fetchSums(`${releaseUrl}/${CHECKSUMS}`, { signal, mostFailures: MAX_FAILURES })).get(file);
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  }
}

async function fetchWithinSpace(
  url: string,
  file: string,
  { modelsDir, view, signal }: InstallOptions,
): Promise<string> {
  const noSpace = new AbortController();
  let isChecked = false;
  return fetchFile(url, file, {
    signal: AbortSignal.any([signal, noSpace.signal]),
    mostFailures: MAX_FAILURES,
    onProgress: (done, whole) => {
      showFetched(view, done, whole);
      if (isChecked || whole === undefined) return;
      isChecked = true;
      const needed = whole - done + whole * UNPACKED_FACTOR;
      requireSpace(modelsDir, needed).catch((error: unknown) => noSpace.abort(error));
    },
  });
}

async function installFiles(
  model: CatalogueModel,
  download: string,
  { modelsDir, view, signal }: InstallOptions,
): Promise<PinnedModel['files']> {
  // A killed run may have left hundreds of megabytes.
  const leftovers = (await readdir(modelsDir)).filter((name) => isStagingOf(model, name));
  await Promise.all(leftovers.map((name) => rm(join(modelsDir, name), { recursive: true, force: true })));
  const stagingName = `.${model.name}.${randomBytes(6).toString('hex')}.tmp`;
  const staging = join(modelsDir, stagingName);
  await mkdir(staging);
  try {
    const onProgress = (share: number): void =>
      view.show('unpacked', share * 100, `unpacked ${String(Math.floor(share * 10) * 10)} %`);
    if (model.file.endsWith('.tar.bz2')) await unpack(download, staging, { signal, onProgress });
    else await rename(download, join(staging, model.file));
    const found = await inspectModel(modelsDir, stagingName);
    if (found?.role !== model.role) throw new Error(`${model.file} is not a supported ${model.role} model`);
    const files = await recordFiles(staging);
    const final = join(modelsDir, model.name);
    // The existing folder is damaged or was created manually. `rename` cannot replace a folder that is not empty.
    await rm(final, { recursive: true, force: true });
    await rename(staging, final);
    return files;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function isStagingOf(model: CatalogueModel, name: string): boolean {
  const prefix = `.${model.name}.`;
  return name.startsWith(prefix) && /^[\da-f]{12}\.tmp$/.test(name.slice(prefix.length));
}

async function recordFiles(folder: string): Promise<PinnedModel['files']> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files: PinnedModel['files'] = [];
  for (const path of paths.sort()) {
    files.push({ path: relative(folder, path), sizeBytes: (await stat(path)).size, sha256: await sha256Of(path) });
  }
  return files;
}
