import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAILURES } from '../../contract/failures.ts';
import type { MediaResult } from '../../contract/kinds/media.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';
import { createRandom } from '../../quality/chaos/plan.ts';
import { run } from '../../runtime/subprocess/run-program.ts';
import { watchMemory } from '../helpers/hostile/memory.ts';

const MEDIA = fileURLToPath(new URL('../../local/sandbox/catalogue/media', import.meta.url));
const TYPES: Readonly<Record<string, string>> = { '.m4a': 'audio/mp4', '.mp4': 'video/mp4', '.webm': 'video/webm' };
const WAIT_SECONDS = 60;
const MAX_WAITS = 10;
/** Media tools may hold 4 GiB (media/media-guard.ts). */
const MAX_MEMORY_MIB = 4_096;
/** yt-dlp looks at a URL before it downloads it. A second attempt would read the page again. */
const MAX_READS = 2;
/** Media without a stated length that seem to be incomplete are downloaded once more. */
const MAX_READS_UNMEASURED = 2 * MAX_READS;

type Random = ReturnType<typeof createRandom>;

export interface DamageOptions {
  readonly serviceUrl: string;
  readonly key: string | undefined;
  readonly seed: number;
  readonly seconds: number;
  readonly ffmpeg: string;
  /** Where the programs of the service run. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface DamageReport {
  readonly jobs: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  readonly peakMib: number;
}

/** Requests the media of damaged files whose bytes all arrive. Each job must end after one attempt, as made or with a code of the subject. */
export async function fuzzDamage(options: DamageOptions): Promise<DamageReport> {
  const { serviceUrl, key, seed, seconds, ffmpeg, folder, signal } = options;
  const random = createRandom(seed);
  const originals = await readOriginals();
  const reads = new Map<string, number>();
  const bodies = new Map<string, { readonly type: string; readonly bytes: Buffer; readonly isMeasured: boolean }>();
  const site = await serveOnLoopback((request, response) => {
    const path = request.url ?? '';
    const { type = 'text/plain', bytes = Buffer.alloc(0), isMeasured = true } = bodies.get(path) ?? {};
    if (request.method === 'GET') reads.set(path, (reads.get(path) ?? 0) + 1);
    const length = isMeasured ? { 'content-length': bytes.length } : {};
    response.useChunkedEncodingByDefault = false;
    response.writeHead(bytes.length > 0 ? 200 : 404, { 'content-type': type, ...length });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  });
  const headers = {
    prefer: `wait=${String(WAIT_SECONDS)}`,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const jobs: Record<string, number> = {};
  const problems: string[] = [];
  const memory = watchMemory(folder);
  const endMs = Date.now() + seconds * 1000;
  for (let number = 1; Date.now() < endMs && !signal.aborted; number += 1) {
    const { name, bytes, how } = damaged(random, originals);
    const path = `/${String(number)}${extname(name)}`;
    const isMeasured = random.next() < 0.75;
    bodies.set(path, { type: TYPES[extname(name)] ?? '', bytes, isMeasured });
    const format = random.pick(['audio', 'video'] as const);
    const body = JSON.stringify({ url: site.url + path, format });
    let answer = await fetch(`${serviceUrl}/api/downloads/media`, { method: 'POST', headers, body });
    let { data } = (await answer.json()) as MediaResult;
    // Time stamps can state a week, of which as much is converted as a video may have.
    for (let wait = 1; data.status === 'pending' && wait < MAX_WAITS; wait += 1) {
      answer = await fetch(`${serviceUrl}/api/downloads/${data.id}/result`, { headers });
      ({ data } = (await answer.json()) as MediaResult);
    }
    const response = String((data as { response?: unknown }).response);
    const outcome = data.status === 'failed' ? `${String(answer.status)} ${response}` : data.status;
    jobs[outcome] = (jobs[outcome] ?? 0) + 1;
    const complain = (what: string): void =>
      void problems.push(
        `seed ${String(seed)}, job ${String(number)} (${name}, ${how}, ${format}${isMeasured ? '' : ', no length'}): ${what}`,
      );
    if (data.status === 'success') {
      const statedSeconds = (data.duration ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
      const decodedSeconds = await decodedLength(data.file_urls?.[0] ?? '', { ffmpeg, folder });
      if (Math.abs(statedSeconds - decodedSeconds) > Math.max(1.5, decodedSeconds / 100))
        complain(`states ${String(statedSeconds)} s, ${String(decodedSeconds)} s were decoded`);
    } else if (!isOfSubject(response)) {
      complain(outcome);
    }
    if ((reads.get(path) ?? 0) > (isMeasured ? MAX_READS : MAX_READS_UNMEASURED))
      complain(`was read ${String(reads.get(path))} times`);
    bodies.delete(path);
  }
  const peakMib = await memory.stop();
  if (peakMib > MAX_MEMORY_MIB) problems.push(`a program held ${String(peakMib)} MiB`);
  await site.stop();
  return { jobs, problems, peakMib };
}

async function readOriginals(): Promise<ReadonlyMap<string, Buffer>> {
  const names = (await readdir(MEDIA, { recursive: true })).filter((name) => extname(name) in TYPES);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(MEDIA, name))] as const)));
}

const HEADER_BYTES = 2_000;
/** Boxes and elements that hold lengths and times: of MP4, then of Matroska (duration, time of a cluster, time scale). */
const LENGTHS = ['mvhd', 'tkhd', 'mdhd', 'mehd', 'sidx', '\x44\x89'];
const TIMES = ['tfdt', 'stts', 'trun', 'ctts', 'elst', '\xe7', '\x2a\xd7\xb1'];

function damaged(random: Random, originals: ReadonlyMap<string, Buffer>) {
  const name = random.pick([...originals.keys()]);
  const bytes = Buffer.from(originals.get(name) ?? '');
  const other =
    originals.get(random.pick([...originals.keys()].filter((one) => extname(one) === extname(name)))) ?? bytes;
  const at = (most: number): number => Math.floor(random.next() * most);
  /** Overwrites what follows some of the marks. */
  const overwrite = (marks: readonly string[], value: () => number): Buffer => {
    for (const mark of marks) {
      for (let found = bytes.indexOf(mark, 0, 'latin1'); found >= 0; found = bytes.indexOf(mark, found + 1, 'latin1')) {
        const start = found + mark.length + at(24);
        if (random.next() < 0.5) bytes.fill(value(), start, start + 1 + at(4));
      }
    }
    return bytes;
  };
  const ways: Readonly<Record<string, () => Buffer>> = {
    'end cut off': () => bytes.subarray(0, HEADER_BYTES + at(bytes.length - HEADER_BYTES)),
    'start cut off': () => bytes.subarray(at(bytes.length)),
    'joined with another': () => Buffer.concat([bytes, other]),
    'header of another': () => Buffer.concat([other.subarray(0, HEADER_BYTES), bytes.subarray(HEADER_BYTES)]),
    'middle taken out': () =>
      Buffer.concat([bytes.subarray(0, at(bytes.length / 2)), bytes.subarray(bytes.length / 2)]),
    'bytes overwritten': () => {
      const start = at(bytes.length);
      return bytes.fill(at(256), start, Math.min(bytes.length, start + at(5_000)));
    },
    'times shifted': () => overwrite(TIMES, () => at(256)),
    'lengths removed': () => overwrite(LENGTHS, () => 0),
    'lengths changed': () => overwrite(LENGTHS, () => at(256)),
  };
  const how = random.pick(Object.keys(ways));
  return { name, how, bytes: ways[how]?.() ?? bytes };
}

/** The status of a result that was polled says nothing about its failure. */
function isOfSubject(response: string): boolean {
  return Object.values(FAILURES).some(({ fault, message }) => {
    const parts = message.split(/\{\w+\}/);
    return fault === 'subject' && parts.every((part) => response.includes(part));
  });
}

/** Decodes all of a file that the service made. */
async function decodedLength(
  url: string,
  { ffmpeg, folder }: Pick<DamageOptions, 'ffmpeg' | 'folder'>,
): Promise<number> {
  let seconds = 0;
  await run(ffmpeg, ['-v', 'error', '-nostdin', '-i', url, '-f', 'null', '-progress', 'pipe:1', '-'], {
    ...{ cwd: folder, env: {}, timeoutMs: 120_000 },
    onStdoutLine: (line) => void (seconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? seconds * 1e6) / 1e6),
  });
  return seconds;
}
