import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch, type RequestInit, type Response } from 'undici';
import type { Log } from './ways.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const STALL_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 5_000;
const PROGRESS_EVERY_MS = 5_000;

/**
 * Downloads a URL to a file, telling progress. Honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
 *
 * @throws when the host can't be reached, answers anything but 200, stalls, or sends fewer bytes than announced
 */
export async function download(url: string, file: string, log: Log): Promise<void> {
  const agent = new EnvHttpProxyAgent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: STALL_TIMEOUT_MS,
    bodyTimeout: STALL_TIMEOUT_MS,
  });
  try {
    log(`fetching ${url}`);
    const response = await reach(url, { dispatcher: agent });
    if (response.status !== 200 || response.body === null) throw new Error(`${url} answered ${response.status}`);
    // A coded body is announced with its coded length, so only a plain one can be compared.
    const announced = response.headers.has('content-encoding')
      ? 0
      : Number(response.headers.get('content-length') ?? 0);
    let received = 0;
    let told = Date.now();
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done): void {
        received += chunk.length;
        if (Date.now() - told > PROGRESS_EVERY_MS) {
          told = Date.now();
          log(`${megabytes(received)}${announced > 0 ? ` of ${megabytes(announced)}` : ''}`);
        }
        done(null, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body), meter, createWriteStream(file));
    if (announced > 0 && received !== announced) throw new Error(`${url}: the body was cut short`);
    log(`fetched ${megabytes(received)}`);
  } finally {
    await agent.close();
  }
}

/** As {@link download}, for a file that is known. @throws also when it does not have the SHA-256 `wanted` */
export async function downloadPinned(
  { url, wanted }: { readonly url: string; readonly wanted: string },
  file: string,
  log: Log,
): Promise<void> {
  await download(url, file, log);
  if ((await sha256(file)) !== wanted) throw new Error(`${url} does not have the SHA-256 it should`);
}

/** A file of a release whose publisher keeps a list of SHA-256 sums beside it. */
export interface ReleaseFile {
  /** Address of the folder of both, without a slash at the end. */
  readonly folder: string;
  readonly name: string;
  /** Name of the list: a line for each file, with its sum in front. */
  readonly sums: string;
}

/**
 * As {@link download}, and the file has the sum that its publisher tells. That is worth what the connection to the host is
 * worth: whoever could put another file there could put its sum there too.
 *
 * @throws also when the list is missing, does not name the file, or names another sum
 */
export async function downloadRelease(release: ReleaseFile, file: string, log: Log): Promise<void> {
  const { folder, name, sums } = release;
  const sumsFile = `${file}.sums`;
  await download(`${folder}/${sums}`, sumsFile, log);
  const lines = (await readFile(sumsFile, 'utf8')).split('\n').map((line) => line.trim().split(/\s+\*?/));
  const wanted = lines.find(([, one]) => one === name)?.[0];
  if (wanted === undefined) throw new Error(`${folder}/${sums} does not name ${name}`);
  await downloadPinned({ url: `${folder}/${name}`, wanted: wanted.toLowerCase() }, file, log);
  await rm(sumsFile);
}

/** Whether a host answers at all. @throws with the reason when it does not */
export async function probe(url: string): Promise<void> {
  const agent = new EnvHttpProxyAgent({ connect: { timeout: PROBE_TIMEOUT_MS } });
  try {
    const response = await reach(url, {
      dispatcher: agent,
      method: 'HEAD',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
  } finally {
    await agent.close();
  }
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`cannot reach ${new URL(url).host} (${cause instanceof Error ? cause.message : String(cause)})`);
  });
}

/** In lower-case hex. */
async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
