import { rename } from 'node:fs/promises';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { fetchFile, fetchSums, forget, UnreachableError, type FetchOptions } from '../../outbound/fetch-url.ts';
import { createProgressView, showFetched } from '../../runtime/terminal-progress.ts';
import { sha256Of } from '../../store/files/checksum.ts';
import type { Log } from './environment.ts';

const PROBE_TIMEOUT_MS = 5_000;

/** A file whose SHA-256 is known, or in a list that its publisher keeps beside it. */
export type ReleaseFile = {
  readonly folder: string;
  readonly name: string;
} & ({ readonly sha256: string } | { readonly sums: string });

/**
 * Downloads a file, verifies its SHA-256 and reports progress. A published list protects no better than the connection does.
 *
 * @throws when the host cannot be reached or refuses, or the file has another SHA-256 or none
 */
export async function downloadRelease(release: ReleaseFile, file: string, log: Log): Promise<void> {
  const { folder, name } = release;
  const url = `${folder}/${name}`;
  const view = createProgressView({ terminal: undefined, title: '', line: log, stepPercent: 10 });
  // No retries, since another strategy may work at once.
  const options: FetchOptions = { signal: new AbortController().signal, mostFailures: 1 };
  try {
    const wanted =
      'sha256' in release ? release.sha256 : (await fetchSums(`${folder}/${release.sums}`, options)).get(name);
    if (wanted === undefined) throw new Error(`there is no SHA-256 of ${name} in ${folder}`);
    log(`fetching ${url}`);
    const onProgress = (done: number, whole: number | undefined): void => showFetched(view, done, whole);
    const part = await fetchFile(url, file, { ...options, onProgress });
    if ((await sha256Of(part)) !== wanted) throw new Error(`${url} does not have the SHA-256 it should`);
    await rename(part, file);
    await forget(part);
  } catch (error) {
    throw error instanceof UnreachableError ? cannotReach(url, error.reason) : error;
  }
}

/** @throws with the reason when the host does not answer */
export async function probe(url: string): Promise<void> {
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: PROBE_TIMEOUT_MS } });
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { dispatcher, method: 'HEAD', signal }).catch((error: unknown) => {
      throw cannotReach(url, new UnreachableError(url, error).reason);
    });
    await response.body?.cancel();
  } finally {
    await dispatcher.close();
  }
}

function cannotReach(url: string, reason: string): Error {
  return new Error(`cannot reach ${new URL(url).host} (${reason})`);
}
