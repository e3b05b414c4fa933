import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { FAILURE_FAULTS } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import { copyShortM4a } from '../../media/m4a.ts';
import { createMedia, type Media } from '../../media/ffmpeg.ts';
import { codecOf } from '../../media/probe.ts';
import { prepareWav } from '../../speech/prepare.ts';
import { hostileLists, type Secrets } from '../helpers/hostile/lists.ts';
import { hostileMedia } from '../helpers/hostile/media.ts';
import { SEES_MEMORY, watchMemory } from '../helpers/hostile/memory.ts';
import { runTool } from '../helpers/media.ts';
import { isLong, rows } from '../helpers/rows.ts';
import { until } from '../helpers/until.ts';

const MAX_SECONDS = 20;
const TIMEOUT_MS = 25_000;
const MAX_FILE_BYTES = 30_000_000;
/** A child needs 30 to 60 MiB for honest media of this size. */
const MAX_MEMORY_MIB = 700;
/** Stands in the samples of the secret files: a decoder that opens them writes it out again. */
const MARK = Buffer.from('OF ANOTHER JOB  ');

const REFERENCE = 'a reference to a file elsewhere';
const AN_HOUR = 'silence, an hour in 700 kB';

let root: string;
let work: string;
let media: Media;
let secrets: Secrets;
let packets: Buffer;
let hits = 0;
const canary = createServer((_, answer) => {
  hits += 1;
  answer.end('secret');
});
const table: string[] = [];
let mostMib = 0;
const { signal } = new AbortController();
const limits = { signal, timeoutMs: TIMEOUT_MS, onProgress: (): void => undefined };

beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  root = await mkdtemp(join(tmpdir(), 'tapedeck-hostile-'));
  work = join(root, 'work');
  for (const name of ['work', 'other', 'honest']) await mkdir(join(root, name));
  const { ffmpeg, ffprobe } = inject('tools');
  media = createMedia({
    ffmpeg,
    ffprobe,
    maxFileBytes: MAX_FILE_BYTES,
    maxMediaSeconds: MAX_SECONDS,
    maxVideoHeight: 1080,
  });
  secrets = {
    neighbour: join(work, 'secret.wav'),
    otherJob: join(root, 'other', 'secret.wav'),
    name: 'secret.wav',
    canary: `http://127.0.0.1:${(canary.address() as AddressInfo).port}`,
  };
  const wav = await runTool(ffmpeg, ['-v', 'error', ...'-f lavfi -i sine=d=3:r=16000 -ac 1 -f wav -'.split(' ')]);
  wav.fill(MARK, 100);
  await writeFile(secrets.neighbour, wav);
  await writeFile(secrets.otherJob, wav);
  const m4a = join(work, 'secret.m4a');
  await runTool(ffmpeg, ['-v', 'error', ...'-f lavfi -i anoisesrc=d=3 -c:a aac'.split(' '), m4a]);
  packets = await readFile(m4a);
  packets = packets.subarray(packets.indexOf('mdat') + 2_000, packets.indexOf('mdat') + 2_064);
});
afterAll(async () => {
  if (process.env['HOSTILE_TABLE'] !== undefined) await writeFile(process.env['HOSTILE_TABLE'], table.join('\n'));
  await rm(root, { recursive: true, force: true });
  canary.closeAllConnections();
  await new Promise((resolve) => canary.close(resolve));
});

/** @returns `made`, or the code of the failure; anything else that is thrown is a fault of the product */
async function codeOf(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
    return 'made';
  } catch (error) {
    if (error instanceof JobError && error.code in FAILURE_FAULTS) return error.code;
    throw error;
  }
}

/** Hands a file to all that reads files of strangers. @returns what came of it, and of what size the outputs are */
async function suffer(name: string, path: string): Promise<Record<string, string>> {
  const startedMs = performance.now();
  const memory = watchMemory(root);
  const before = await readdir(work);
  let audioCodec = 'aac';
  const probing = media.probe(path, signal);
  const outcome = {
    probe: await codeOf(probing.then((found) => (audioCodec = codecOf(found, 'audio') ?? 'none'))),
    // Also what a probe has refused, and as if it were AAC, which is copied as it is.
    m4a: await codeOf(media.writeM4a({ path, audioCodec }, join(work, 'out.m4a'), limits)),
    mp4: await codeOf(
      probing.then((probe) => {
        const sound = codecOf(probe, 'audio') === undefined ? undefined : { path, probe };
        return media.write({ container: 'mp4', pictures: { path, probe }, sound }, join(work, 'out.mp4'), limits);
      }),
    ),
    wav: await codeOf(
      prepareWav(path, join(work, 'out.wav'), { ...limits, ffmpeg: inject('tools').ffmpeg, maxSeconds: MAX_SECONDS }),
    ),
  };
  const peakMib = await memory.stop();
  const seconds = (performance.now() - startedMs) / 1000;
  for (const output of (await readdir(work)).filter((one) => !before.includes(one))) {
    expect(['out.m4a', 'out.mp4', 'out.wav']).toContain(output);
    const bytes = await readFile(join(work, output));
    expect(bytes.length, output).toBeLessThanOrEqual(MAX_FILE_BYTES);
    expect(bytes.includes(MARK), `${output} of ${name}: the neighbour's samples`).toBe(false);
    expect(bytes.includes(packets), `${output} of ${name}: the neighbour's packets`).toBe(false);
    await rm(join(work, output));
  }
  expect(hits).toBe(0);
  expect(peakMib).toBeLessThan(MAX_MEMORY_MIB);
  mostMib = Math.max(mostMib, peakMib);
  table.push(`| ${name} | ${Object.values(outcome).join(', ')} | ${peakMib} | ${seconds.toFixed(1)} |`);
  return outcome;
}

const lists = Object.keys(hostileLists({ neighbour: '', otherJob: '', name: '', canary: '' }));
/** One of each format and each way to name a file. */
const FEW_LISTS = [
  ...['HLS, absolute file', 'HLS, neighbour', 'HLS, http', 'HLS, concat', 'HLS, byte order mark'],
  ...['ffconcat, neighbour', 'ffconcat, options', 'DASH, neighbour', 'SDP', 'RTSP reference', 'image sequence'],
  ...['lavfi', 'SVG', 'subtitles with a file', 'empty', 'zeros'],
];

describe('a playlist of other files', () => {
  it('is one of the generated ones', () => expect(lists).toEqual(expect.arrayContaining(FEW_LISTS)));

  it.each(isLong() ? lists : FEW_LISTS)('is refused: %s', async (name) => {
    const path = join(work, 'fetched.m4a');
    await writeFile(path, hostileLists(secrets)[name] ?? '');
    expect(await suffer(name, path)).toEqual({
      ...{ probe: 'incomplete', m4a: 'incomplete', mp4: 'incomplete', wav: 'incomplete' },
    });
  });

  it('would give away the samples of another file without the guard', async () => {
    const path = join(work, 'unguarded.m4a');
    await writeFile(path, `ffconcat version 1.0\nfile ${secrets.name}\n`);
    const args = ['-v', 'error', '-i', path, '-c', 'copy', '-f', 'wav', '-'];
    expect((await runTool(inject('tools').ffmpeg, args)).includes(MARK)).toBe(true);
  });
});

/** Those of which something is said below, and one of each kind of lie. */
const FEW_LIARS = [
  ...[REFERENCE, 'a header that claims 1000 hours', 'samples that last 1000 hours', '4 billion samples without sizes'],
  ...['an MP4 that is cut', 'boxes in boxes, 20,000 deep', 'a box of 18 exabytes', '5 MB of words', '300 tracks'],
  ...['a WAV that claims 4 GB', 'a WAV of 65,535 channels', AN_HOUR, 'a PNG', 'a zip', 'noise'],
  ...['a cover of 144 million pixels', 'pictures of 16,383 x 16,383', 'an attachment', 'a link to the next file'],
];

describe('media with false metadata', () => {
  let made: ReturnType<typeof hostileMedia> | undefined;
  const only = isLong() ? undefined : FEW_LIARS;
  const liars = () => (made ??= hostileMedia(join(root, 'honest'), join(work, 'secret.m4a'), only));

  it('do no harm', { timeout: 300_000 }, async () => {
    const corpus = await liars();
    expect(Object.keys(corpus)).toEqual(expect.arrayContaining(FEW_LIARS));
    const outcomes: Record<string, unknown> = {};
    for (const [name, bytes] of Object.entries(corpus)) {
      const path = join(work, 'fetched');
      await writeFile(path, bytes);
      outcomes[name] = Object.values(await suffer(name, path)).join(' ');
    }
    // Otherwise no program was looked at.
    if (SEES_MEMORY) expect(mostMib).toBeGreaterThan(20);
    // What is said of a job's end: nothing that could not be read is made, and what can be read is.
    for (const name of ['a PNG', 'a zip', 'noise', 'an MP4 that is cut', 'boxes in boxes, 20,000 deep', '300 tracks']) {
      expect(outcomes[name], name).toMatch(/^incomplete (?:incomplete|too_large) incomplete incomplete$/);
    }
    for (const name of ['an attachment', 'a link to the next file', '5 MB of words', 'a cover of 144 million pixels']) {
      expect(outcomes[name], name).toMatch(/^made made \w+ made$/);
    }
  });

  it('are copied or left to ffmpeg in the worker within a second', async () => {
    const path = join(work, 'fetched.m4a');
    for (const [name, bytes] of Object.entries(await liars())) {
      await writeFile(path, bytes);
      const startedMs = performance.now();
      const options = { signal, maxSeconds: MAX_SECONDS, statedSeconds: undefined };
      await expect(copyShortM4a(path, join(work, 'copy.m4a'), options), name).resolves.not.toThrow();
      expect(performance.now() - startedMs, name).toBeLessThan(1_000);
    }
  });

  it('would give away the packets of another file without the guard', async () => {
    const path = join(work, 'unguarded.mov');
    const { [REFERENCE]: bytes = '' } = await liars();
    await writeFile(path, bytes);
    const open = ['-i', path, '-c', 'copy', '-f', 'adts', '-'];
    const read = (args: readonly string[]) => runTool(inject('tools').ffmpeg, ['-v', 'fatal', ...args, ...open]);
    expect((await read([])).equals(await read(['-enable_drefs', '1']))).toBe(false);
    await rm(path);
  });

  it.runIf(SEES_MEMORY)('would be noticed if they took too much memory', async () => {
    const memory = watchMemory(root);
    const hold = `globalThis.held = Buffer.alloc(${String(MAX_MEMORY_MIB)} * 1024 ** 2, 1); process.stdin.resume();`;
    const greedy = spawn(process.execPath, ['-e', hold], { cwd: work, stdio: ['pipe', 'ignore', 'inherit'] });
    const ended = once(greedy, 'close');
    await until(() => memory.peakMib() >= MAX_MEMORY_MIB, { what: 'the memory that is held' }).finally(() => {
      greedy.stdin.end();
      return ended;
    });
    expect(await memory.stop()).toBeGreaterThanOrEqual(MAX_MEMORY_MIB);
  });

  it('are cut at the longest permitted duration', async () => {
    const path = join(work, 'fetched.flac');
    await writeFile(path, (await liars())[AN_HOUR] ?? '');
    const output = join(work, 'out.wav');
    await prepareWav(path, output, { ...limits, ffmpeg: inject('tools').ffmpeg, maxSeconds: MAX_SECONDS });
    const { size } = await stat(output);
    expect(size).toBeLessThan(MAX_SECONDS * 32_000 + 1_000);
    expect(size).toBeGreaterThan((MAX_SECONDS - 1) * 32_000);
    await rm(output);
  });
});

const NAMES = rows(
  [
    ...['http:x.m4a', 'concat:secret.wav|secret.wav', 'pipe:0', '-i', 'x%03d.m4a', '$(touch owned).m4a', 'a\nb.m4a'],
    'n'.repeat(255),
  ],
  [
    ...['%(title)s.m4a', "a'b.m4a", '...', '*', 'subfile,,start,0,end,9,,:secret.wav', 'crypto:secret.wav'],
    ...['file:secret.wav', 'data:,x', '--exec=touch owned', '-o', '-', '`touch owned`', 'a;touch owned', 'a"b.m4a'],
    ...['a b.m4a', 'a\rb', '\u202egnp.m4a', '..m4a', '~', '[x]', '{a,b}', 'a\\b', 'ü'.repeat(120)],
  ],
);

describe('a name that looks like something else', () => {
  /** Three seconds of a tone. */
  let honest: Buffer;
  beforeAll(async () => {
    const tone = join(root, 'tone.m4a');
    await runTool(inject('tools').ffmpeg, [...'-v error -y -f lavfi -i sine=d=3 -c:a aac'.split(' '), tone]);
    honest = await readFile(tone);
  });

  it.each(NAMES)('is only a name: %j', async (name) => {
    const folder = await mkdtemp(join(root, 'names-'));
    const path = join(folder, name);
    await writeFile(path, honest);
    const probe = await media.probe(path, signal);
    expect(codecOf(probe, 'audio')).toBe('aac');
    await media.writeM4a({ path, audioCodec: 'aac' }, join(folder, 'out.m4a'), limits);
    expect((await readdir(folder)).sort()).toEqual(['out.m4a', name].sort());
  });
});
