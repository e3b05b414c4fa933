import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fetchFile, fetchSums, forget, RefusedError } from '../../outbound/fetch-url.ts';
import { showFetched, type ProgressView } from '../../runtime/terminal-progress.ts';
import { sha256Of } from '../../store/files/checksum.ts';
import { ASR, type CatalogueModel } from './catalogue.ts';
import { inspectModel } from './inspect.ts';
import { readLock, writeLock, wrongFilesIn, type PinnedModel } from './models-folder.ts';
import { requireSpace, unpack } from './unpack.ts';

/** Hidden, so that it is not taken for a model. */
const DOWNLOADS = '.downloads';
/** Of an archive to what is in it, for the room that it takes: weights are hardly compressed. */
const UNPACKED_FACTOR = 1.6;
const MOST_FAILURES = 4;
/** What the release job of k2-fsa/sherpa-onnx calls its list of checksums. */
const SUMS = 'checksum.txt';

export interface InstallOptions {
  /** Absolute path; made when missing. */
  readonly modelsDir: string;
  /** Address under which a release is a folder. */
  readonly baseUrl: string;
  readonly say: (line: string) => void;
  readonly view: ProgressView;
  readonly signal: AbortSignal;
}

/**
 * Installs a model all or nothing, unless it is there: fetch, compare with the release's own checksum, unpack beside its
 * place, look whether it is what it should be, rename, pin.
 *
 * @returns whether anything was done
 * @throws Error that says what is wrong and leaves what was there; a cut download is continued by the next run
 */
export async function installModel(model: CatalogueModel, options: InstallOptions): Promise<boolean> {
  const { modelsDir, baseUrl, say, view } = options;
  await mkdir(join(modelsDir, DOWNLOADS), { recursive: true });
  const before = (await readLock(modelsDir)).models[model.name];
  if (before !== undefined && (await wrongFilesIn(join(modelsDir, model.name), before)).length === 0) return false;

  const releaseUrl = `${baseUrl}/${model.release}`;
  const url = `${releaseUrl}/${encodeURIComponent(model.file)}`;
  const published = await publishedSum(releaseUrl, model.file, options);
  const download = await fetchWithRoom(url, join(modelsDir, DOWNLOADS, model.file), options);
  const sum = await sha256Of(download);
  const expected = published ?? before?.sha256;
  if (expected !== undefined && expected !== sum) {
    await forget(download);
    const source = published === undefined ? 'what was installed before' : "the release's own checksum";
    throw new Error(`${url} has the SHA-256 ${sum}, which is not ${source}, ${expected}`);
  }
  view.end();
  if (published === undefined) say(`${model.file}: the release has no checksum of it; what came is pinned`);
  const { size } = await stat(download);
  const files = await place(model, download, options);
  await forget(download);
  const pinned: PinnedModel = { url, sizeBytes: size, sha256: sum, isPublishedSum: published !== undefined, files };
  // Read anew: another run may have installed another model meanwhile.
  const { models } = await readLock(modelsDir);
  await writeLock(modelsDir, { models: { ...models, [model.name]: pinned } });
  return true;
}

/** @throws {UnreachableError}; the signal's reason: the host of the releases does not answer */
export async function reachReleases(baseUrl: string, signal: AbortSignal): Promise<void> {
  await fetchSums(`${baseUrl}/${ASR}/${SUMS}`, { signal, mostFailures: 1 }).catch((error: unknown) => {
    // Its no is an answer too.
    if (!(error instanceof RefusedError)) throw error;
  });
}

/** @returns undefined where the release has no list, as that of the segmentation models, or the list does not name the file */
async function publishedSum(releaseUrl: string, file: string, { signal }: InstallOptions): Promise<string | undefined> {
  try {
    return (await fetchSums(`${releaseUrl}/${SUMS}`, { signal, mostFailures: MOST_FAILURES })).get(file);
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  }
}

/** Ends the download as soon as it is known that it, and what is in it, will not fit. */
async function fetchWithRoom(url: string, file: string, { modelsDir, view, signal }: InstallOptions): Promise<string> {
  const noRoom = new AbortController();
  let isChecked = false;
  return fetchFile(url, file, {
    signal: AbortSignal.any([signal, noRoom.signal]),
    mostFailures: MOST_FAILURES,
    onProgress: (done, whole) => {
      showFetched(view, done, whole);
      if (isChecked || whole === undefined) return;
      isChecked = true;
      const needed = whole - done + whole * UNPACKED_FACTOR;
      requireSpace(modelsDir, needed).catch((error: unknown) => noRoom.abort(error));
    },
  });
}

async function place(
  model: CatalogueModel,
  download: string,
  { modelsDir, view, signal }: InstallOptions,
): Promise<PinnedModel['files']> {
  // One that was killed may have left hundreds of megabytes.
  const left = (await readdir(modelsDir)).filter((name) => isStagingOf(model, name));
  await Promise.all(left.map((name) => rm(join(modelsDir, name), { recursive: true, force: true })));
  const stagingName = `.${model.name}.${randomBytes(6).toString('hex')}.tmp`;
  const staging = join(modelsDir, stagingName);
  await mkdir(staging);
  try {
    const onProgress = (share: number): void =>
      view.show('unpacked', share * 100, `unpacked ${String(Math.floor(share * 10) * 10)} %`);
    if (model.file.endsWith('.tar.bz2')) await unpack(download, staging, { signal, onProgress });
    else await rename(download, join(staging, model.file));
    const found = await inspectModel(modelsDir, stagingName);
    if (found?.role !== model.role) throw new Error(`${model.file} is no ${model.role} model that can be used here`);
    const files = await pinFiles(staging);
    const final = join(modelsDir, model.name);
    // What is there is damaged or was put there by hand; a folder with content can't be replaced by rename.
    await rm(final, { recursive: true, force: true });
    await rename(staging, final);
    return files;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function isStagingOf(model: CatalogueModel, name: string): boolean {
  const before = `.${model.name}.`;
  return name.startsWith(before) && /^[\da-f]{12}\.tmp$/.test(name.slice(before.length));
}

/** @returns all files below the folder, with what tells them from others */
async function pinFiles(folder: string): Promise<PinnedModel['files']> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files: PinnedModel['files'] = [];
  for (const path of paths.sort()) {
    files.push({ path: relative(folder, path), sizeBytes: (await stat(path)).size, sha256: await sha256Of(path) });
  }
  return files;
}
