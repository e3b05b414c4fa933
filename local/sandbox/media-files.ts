import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { z } from 'zod';
import { run } from '../../runtime/subprocess/run-program.ts';
import { exists } from '../engines/cache.ts';

const FFMPEG_TIMEOUT_MS = 120_000;

/** Creates a missing file. If two sandboxes do so at once, each writes its own file, and the last rename wins. */
export async function madeOnce(path: string, make: (temporary: string) => Promise<void>): Promise<string> {
  if (await exists(path)) return path;
  const temporary = join(dirname(path), `${randomUUID()}${extname(path)}`);
  await mkdir(dirname(path), { recursive: true });
  try {
    await make(temporary);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}

export function encodedOnce(path: string, ffmpeg: string, args: readonly string[]): Promise<string> {
  return madeOnce(path, async (temporary) => {
    const all = ['-nostdin', '-v', 'error', ...args, '-fflags', '+bitexact', `file:${temporary}`];
    const made = await run(ffmpeg, all, { cwd: dirname(path), env: {}, timeoutMs: FFMPEG_TIMEOUT_MS });
    if (made.exitCode !== 0) throw new Error(`ffmpeg could not make ${path}: ${made.stderrTail.trim()}`);
  });
}

export interface MediaTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  readonly cacheDir: string;
}

/** Repeats a short file without re-encoding. @returns the path of the long file, whose name is that of the short one */
export async function loopMedia(path: string, seconds: number, settings: MediaTools): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path));
  const key = hash.update(`\0${String(seconds)}`).digest('hex');
  return encodedOnce(join(settings.cacheDir, 'looped', key, basename(path)), settings.ffmpeg, [
    ...['-stream_loop', '-1', '-protocol_whitelist', 'file', '-i', `file:${path}`],
    ...['-map', '0', '-c', 'copy', '-t', String(seconds)],
  ]);
}

/** Containers that may be opened: no playlists or concat scripts, which refer to other files. */
const CONTAINERS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,ogg,wav,flac,aac,aiff,avi,mpegts,asf,amr,caf';
const PROBE_TIMEOUT_MS = 30_000;
const PROBE_MAX_CHARS = 1_000_000;
/** A part of the cache key. Increase it when the facts change their meaning. */
const FACTS_VERSION = '3';
/** Containers without an index, whose duration ffprobe estimates from the bit rate. */
const GUESSED_DURATION = /^(aac|mp3|amr|mpegts|asf)$/;
const INPUT_GUARD = ['-v', 'error', '-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS] as const;

const outputSchema = z.object({
  format: z.object({ format_name: z.string(), duration: z.coerce.number().positive().optional() }),
  streams: z.array(
    z.object({
      codec_type: z.string().optional(),
      codec_name: z.string().default('unknown'),
      width: z.number().optional(),
      height: z.number().optional(),
      avg_frame_rate: z.string().optional(),
      sample_rate: z.coerce.number().optional(),
      channels: z.number().optional(),
      disposition: z.object({ attached_pic: z.number().default(0) }).optional(),
    }),
  ),
});
type Output = z.infer<typeof outputSchema>;
type Stream = Output['streams'][number];

const factsSchema = z.object({
  ext: z.string(),
  /** `none` without such a track. */
  acodec: z.string(),
  vcodec: z.string(),
  durationSeconds: z.number(),
  sizeBytes: z.number(),
  totalKbps: z.number(),
  width: z.number().optional(),
  height: z.number().optional(),
  picturesPerSecond: z.number().optional(),
  sampleRateHz: z.number().optional(),
  audioChannels: z.number().optional(),
});
/** Facts about a file that ffprobe reports, by yt-dlp's names. */
export type MediaFacts = z.infer<typeof factsSchema>;

/** The file has no readable audio or video; the message says why. */
export class NotMediaError extends Error {
  override readonly name = 'NotMediaError';
}

/** @throws NotMediaError; RunStartError when ffprobe can't be started */
export async function probe(path: string, settings: MediaTools): Promise<MediaFacts> {
  const { size, mtimeMs } = await stat(path);
  const key = createHash('sha256').update([FACTS_VERSION, path, size, mtimeMs].join('\0')).digest('hex').slice(0, 32);
  const cached = join(settings.cacheDir, 'facts', `${key}.json`);
  const remembered = await readFile(cached, 'utf8').then(
    (text) => factsSchema.safeParse(JSON.parse(text)).data,
    () => undefined,
  );
  if (remembered !== undefined) return remembered;
  const described = await ffprobe(path, settings.ffprobe, { print: ['-of', 'json', '-show_format', '-show_streams'] });
  const { data: output } = outputSchema.safeParse(JSON.parse(described));
  if (output === undefined) throw new NotMediaError('ffprobe describes it in an unknown way');
  const { duration, format_name } = output.format;
  const known = duration !== undefined && !GUESSED_DURATION.test(format_name);
  const facts = factsOf(output, {
    path,
    sizeBytes: size,
    durationSeconds: known ? duration : await measureSeconds(path, settings.ffprobe),
  });
  await madeOnce(cached, (temporary) => writeFile(temporary, JSON.stringify(facts)));
  return facts;
}

async function measureSeconds(path: string, program: string): Promise<number> {
  let first = Infinity;
  let last = 0;
  await ffprobe(path, program, {
    print: ['-of', 'csv=p=0', '-show_entries', 'packet=pts_time,duration_time'],
    onStdoutLine: (line) => {
      const [at = NaN, length = NaN] = line.split(',').map(Number.parseFloat);
      if (Number.isNaN(at)) return;
      first = Math.min(first, at);
      last = Math.max(last, at + (Number.isNaN(length) ? 0 : length));
    },
  });
  if (last <= first) throw new NotMediaError('its duration is not known');
  return last - first;
}

async function ffprobe(
  path: string,
  program: string,
  { print, onStdoutLine }: { print: readonly string[]; onStdoutLine?: (line: string) => void },
): Promise<string> {
  const result = await run(program, [...INPUT_GUARD, ...print, '-i', `file:${path}`], {
    cwd: '/',
    env: {},
    timeoutMs: PROBE_TIMEOUT_MS,
    ...(onStdoutLine === undefined ? { maxStdoutChars: PROBE_MAX_CHARS } : { onStdoutLine }),
  });
  const reason = result.stderrTail.trim().split('\n').at(-1)?.replace(`file:${path}: `, '');
  if (result.exitCode !== 0) throw new NotMediaError(reason ?? `ffprobe ended with ${String(result.exitCode)}`);
  return result.stdout;
}

function factsOf(
  { streams }: Output,
  { path, sizeBytes, durationSeconds }: { path: string; sizeBytes: number; durationSeconds: number },
): MediaFacts {
  const audio = streams.find((stream) => stream.codec_type === 'audio');
  // Cover art is stored as a video track.
  const video = streams.find((stream) => stream.codec_type === 'video' && stream.disposition?.attached_pic !== 1);
  if (audio === undefined && video === undefined) throw new NotMediaError('it has no audio and no video track');
  const [pictures = 0, seconds = 0] = (video?.avg_frame_rate ?? '').split('/').map(Number);
  return {
    ext: extname(path).slice(1).toLowerCase(),
    acodec: codecName(audio),
    vcodec: codecName(video),
    durationSeconds: Math.round(durationSeconds * 1000) / 1000,
    sizeBytes,
    totalKbps: Math.round((sizeBytes * 8) / durationSeconds) / 1000,
    width: video?.width,
    height: video?.height,
    picturesPerSecond: pictures > 0 && seconds > 0 ? Math.round((pictures / seconds) * 100) / 100 : undefined,
    sampleRateHz: audio?.sample_rate,
    audioChannels: audio?.channels,
  };
}

const CODEC_NAMES: Readonly<Record<string, string>> = { aac: 'mp4a.40.2', h264: 'avc1' };

function codecName({ codec_name: name }: Pick<Stream, 'codec_name'> = { codec_name: 'none' }): string {
  return CODEC_NAMES[name] ?? name;
}
