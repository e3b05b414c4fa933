import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTAINERS, type Container } from '../../contract/media-option-values.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import type { Probe } from '../../media/probe.ts';
import { cutWindow, prepareWav } from '../../speech/prepare.ts';
import { ROOT } from '../helpers/markdown.ts';

/** Muxers that the build calls otherwise than the command line. */
const BUILT_AS: Readonly<Record<string, string>> = { s16le: 'pcm_s16le' };
/** What ffmpeg puts in by itself where sound has another rate or form. */
const OF_ITSELF = 'aresample';

const signal = new AbortController().signal;
const limits = { signal, timeoutMs: 30_000, maxSeconds: 60, onProgress: (): void => undefined };
let dockerfile: string;
/** Each argument that any call of the service hands to ffmpeg, with the one before it. */
let pairs: (readonly [string, string])[];

beforeAll(async () => {
  dockerfile = await readFile(`${ROOT}Dockerfile`, 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-image-ffmpeg-'));
  const [ffmpeg, output, input] = ['ffmpeg', 'output', 'input'].map((name) => join(folder, name)) as [
    ...[string, string, string],
  ];
  // It leaves an empty file in place of the last output, since the service reads what it has asked for.
  await writeFile(ffmpeg, '#!/bin/sh\nprintf "%s\\n" "$@" >> "$0.told"; for last; do :; done; : > "${last#file:}"\n');
  await chmod(ffmpeg, 0o755);
  const ffprobe = `${ffmpeg}-probe`;
  const answer = {
    streams: [{ index: 0, codec_type: 'audio', codec_name: 'aac', nb_read_packets: '1' }],
    format: { format_name: 'mov', duration: '1', size: '1' },
  };
  await writeFile(ffprobe, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
  await chmod(ffprobe, 0o755);
  const packet = Buffer.alloc(189);
  packet[0] = packet[188] = 0x47;
  await writeFile(input, packet);
  const media = createMedia({
    ffmpeg,
    ffprobe,
    maxFileBytes: 1_000_000,
    maxMediaSeconds: 60,
    maxVideoHeight: 1080,
  });
  const pictures = {
    index: 0,
    codec_type: 'video',
    codec_name: 'hevc',
    width: 64,
    height: 64,
    color_transfer: 'smpte2084',
  };
  const source = { path: input, probe: { streams: [pictures] } as unknown as Probe };
  await media.writeM4a({ path: input, audioCodec: 'aac' }, output, limits);
  await media.measure(input, limits);
  await media.picturesEnd(input, limits);
  await media.write({ container: 'mp4', pictures: source, sound: source }, output, limits);
  const captions = [{ path: input, language: 'eng' }];
  for (const container of Object.keys(CONTAINERS) as Container[]) {
    const isVideo = CONTAINERS[container].format === 'video';
    // WebM is only copied.
    const pictures = isVideo && container !== 'webm' ? source : undefined;
    const file = { container, pictures, sound: source, captions: isVideo ? captions : [], isExact: true };
    await media.write({ ...file, kept: [{ start: 0, end: 1 }] }, output, limits);
    await media.write({ ...file, kept: [] }, output, limits);
  }
  await media.writeCover(input, output, limits);
  await media.writeSilence(1, output, limits);
  await prepareWav(input, output, { ...limits, ffmpeg });
  await cutWindow(input, output, { ...limits, ffmpeg, startSeconds: 9, endSeconds: 10, taken: 'left' });
  await media.rewrap(input, limits);
  const words = (await readFile(`${ffmpeg}.told`, 'utf8')).split('\n');
  pairs = words.slice(1).map((word, index) => [words[index] ?? '', word]);
  await rm(folder, { recursive: true });
});

/** @param options whose values are told */
const valuesOf = (...options: readonly string[]): string[] =>
  pairs.filter(([option]) => options.includes(option)).map(([, value]) => value);
const built = (kind: string): string[] =>
  (new RegExp(`--enable-${kind}=([\\w,]+)`).exec(dockerfile)?.[1] ?? '').split(',').toSorted();
const once = (names: readonly string[]): string[] => [...new Set(names)].toSorted();

describe('the ffmpeg of the image contains exactly what the service uses', () => {
  it('to encode', () => {
    const used = valuesOf('-c:a', '-c:v', '-c:v:0', '-c:s').filter((name) => name !== 'copy');
    expect(built('encoder')).toEqual(once(used));
  });

  it('to write containers', () => {
    const muxers = valuesOf('-f').filter((name) => !built('indev').includes(name));
    expect(built('muxer')).toEqual(once(muxers.map((name) => BUILT_AS[name] ?? name)));
  });

  it('to generate sound and pictures', () => {
    const silence = pairs.findIndex(([option, value]) => option === '-f' && value === 'lavfi');
    expect(pairs[silence + 2]?.[1]).toMatch(/^anullsrc=/);
    expect(built('indev')).toEqual(['lavfi']);
  });

  it('to filter', () => {
    const graphs = [
      ...valuesOf('-vf', '-af', '-filter:v:0', '-filter_complex'),
      ...valuesOf('-i').filter((input) => !/^file:/.test(input)),
    ];
    const filters = graphs
      .flatMap((graph) => graph.replaceAll(/'[^']*'/g, '').split(/[,;]/))
      .map((one) => /^(?:\[[^\]]+\])*(\w+)/.exec(one)?.[1]);
    expect(built('filter')).toEqual(once([...filters.map((name) => name ?? ''), OF_ITSELF]));
  });
});
