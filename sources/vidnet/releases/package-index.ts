import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { fetchFile } from '../../../outbound/fetch-url.ts';
import { sha256Of } from '../../../store/files/checksum.ts';

/** That of yt-dlp is half a megabyte. */
const MAX_INDEX_BYTES = 16 * 1024 ** 2;
/** That of yt-dlp is three megabytes. */
const MAX_WHEEL_BYTES = 64 * 1024 ** 2;
const MOST_FAILURES = 3;
/** Of one file, however often it is continued. */
const FETCH_TIMEOUT_MS = 10 * 60_000;
/** Of PEP 691. Without it, an index answers a page for people. */
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';

const indexSchema = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      url: z.string(),
      hashes: z.record(z.string(), z.string()),
      yanked: z.union([z.boolean(), z.string()]).default(false),
    }),
  ),
});

/** A package as a zip of Python modules, for all platforms. */
export interface Wheel {
  readonly version: string;
  readonly url: string;
  /** As the index states it, in lower-case hex. */
  readonly sha256: string;
}

/**
 * The wheels of a package, without those that were withdrawn and those of which the index states no checksum.
 *
 * @param indexUrl base address of an index of Python packages, such as `https://pypi.org/simple`
 * @throws Error that says what the index answered
 */
export async function listWheels(indexUrl: string, name: string, signal: AbortSignal): Promise<readonly Wheel[]> {
  const url = `${indexUrl.replace(/(?<!\/)\/+$/, '')}/${name}/`;
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-index-'));
  try {
    const list = await fetchLimited(url, join(folder, 'list'), {
      maxBytes: MAX_INDEX_BYTES,
      signal,
      accept: JSON_TYPE,
    });
    const { files } = indexSchema.parse(parse(await readFile(list, 'utf8'), url));
    const ending = `-py3-none-any.whl`;
    const beginning = `${name.replaceAll('-', '_')}-`;
    return files.flatMap(({ filename, url: reference, hashes, yanked }) => {
      if (!filename.startsWith(beginning) || !filename.endsWith(ending) || yanked !== false) return [];
      const sha256 = hashes['sha256']?.toLowerCase() ?? '';
      if (!/^[\da-f]{64}$/.test(sha256) || !URL.canParse(reference, url)) return [];
      const version = filename.slice(beginning.length, -ending.length);
      return [{ version, url: new URL(reference, url).href, sha256 }];
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the path of the wheel. @throws also when it is not the one of the index */
export async function fetchWheel({ url, sha256 }: Wheel, folder: string, signal: AbortSignal): Promise<string> {
  const file = await fetchLimited(url, join(folder, 'wheel'), { maxBytes: MAX_WHEEL_BYTES, signal });
  const sum = await sha256Of(file, signal);
  if (sum !== sha256) throw new Error(`${url} has the SHA-256 ${sum}, and not ${sha256}, which the index states`);
  return file;
}

async function fetchLimited(
  url: string,
  file: string,
  { maxBytes, signal, accept }: { maxBytes: number; signal: AbortSignal; accept?: string },
): Promise<string> {
  const tooLarge = new AbortController();
  const part = await fetchFile(url, file, {
    signal: AbortSignal.any([signal, tooLarge.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
    mostFailures: MOST_FAILURES,
    accept,
    onProgress: (done, whole) => {
      if (Math.max(done, whole ?? 0) > maxBytes) tooLarge.abort(new Error(`${url} has more than ${maxBytes} bytes`));
    },
  });
  // The last piece of a body may come with the limit already passed.
  tooLarge.signal.throwIfAborted();
  if ((await stat(part)).size > maxBytes) throw new Error(`${url} has more than ${maxBytes} bytes`);
  return part;
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${url} answered no list of files in JSON (PEP 691)`, { cause: error });
  }
}
