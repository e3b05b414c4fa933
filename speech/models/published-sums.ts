import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchFile, RefusedError } from './fetch-file.ts';

/** What the release job of k2-fsa/sherpa-onnx calls its list. */
const LIST = 'checksum.txt';

/**
 * Reads the list of checksums of a release: lines of file name, tab, SHA-256.
 *
 * @returns undefined when the release has no list, as that of the segmentation models
 * @throws as {@link fetchFile}
 */
export async function publishedSums(
  releaseUrl: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-sums-'));
  try {
    const list = await fetchFile(`${releaseUrl}/${LIST}`, join(folder, LIST), { signal, onProgress: () => undefined });
    return parseSums(await readFile(list, 'utf8'));
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parseSums(text: string): Map<string, string> {
  const sums = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^(\S+)\s+([0-9a-f]{64})$/i.exec(line.trim());
    if (match?.[1] !== undefined && match[2] !== undefined) sums.set(match[1], match[2].toLowerCase());
  }
  return sums;
}
