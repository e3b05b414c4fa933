import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { createMedia } from '../../media/ffmpeg.ts';
import {
  INPUT_GUARD,
  isTransportStream,
  TRANSPORT_STREAM_GUARD,
  UnreadableMediaError,
} from '../../media/media-guard.ts';
import { probeFile, streamOf } from '../../media/probe.ts';
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

/** A part of the cache key. Increase it when the facts change their meaning. */
const FACTS_VERSION = '5';
/** Containers without an index, whose duration ffprobe estimates from the bit rate. */
const GUESSED_DURATION = /^(aac|mp3|amr|asf)$/;
const PROBE_LIMITS = { maxFileBytes: 1024 ** 4, maxMediaSeconds: 7 * 86_400, maxVideoHeight: 8_640 };

/** Facts about a file that ffprobe reports, by yt-dlp's names. */
export type MediaFacts = Awaited<ReturnType<typeof factsOf>>;

/** The file has no readable audio or video; the message says why. */
export class NotMediaError extends Error {
  override readonly name = 'NotMediaError';
}

/** @throws NotMediaError; JobError when ffprobe can't be started */
export async function probe(path: string, settings: MediaTools): Promise<MediaFacts> {
  const { size, mtimeMs } = await stat(path);
  const key = createHash('sha256').update([FACTS_VERSION, path, size, mtimeMs].join('\0')).digest('hex').slice(0, 32);
  const cached = join(settings.cacheDir, 'facts', `${key}.json`);
  const remembered = await readFile(cached, 'utf8')
    .then((text) => JSON.parse(text) as MediaFacts)
    .catch(() => undefined);
  if (remembered !== undefined) return remembered;
  const facts = await factsOf({ path, size }, settings).catch((error: unknown) => {
    if (!(error instanceof UnreadableMediaError) || !(error.cause instanceof Error)) throw error;
    const lastLine = error.cause.message.trim().split('\n').at(-1) ?? '';
    throw new NotMediaError(lastLine.replace(`file:${path}: `, '').replace(/^Error opening input: /, ''));
  });
  await madeOnce(cached, (temporary) => writeFile(temporary, JSON.stringify(facts)));
  return facts;
}

async function factsOf({ path, size }: { path: string; size: number }, { ffmpeg, ffprobe }: MediaTools) {
  const signal = AbortSignal.timeout(FFMPEG_TIMEOUT_MS);
  const guard = (await isTransportStream(path)) ? TRANSPORT_STREAM_GUARD : INPUT_GUARD;
  const found = await probeFile(ffprobe, path, { signal, guard });
  const [audio, video] = [streamOf(found, 'audio'), streamOf(found, 'video')];
  if (audio === undefined && video === undefined) throw new NotMediaError('it has no audio and no video track');
  const measure = () =>
    createMedia({ ffmpeg, ffprobe, ...PROBE_LIMITS }).measure(path, { signal, timeoutMs: FFMPEG_TIMEOUT_MS });
  const isKnown = found.durationSeconds > 0 && !GUESSED_DURATION.test(found.format_name);
  const durationSeconds = isKnown ? found.durationSeconds : await measure();
  if (durationSeconds === 0) throw new NotMediaError('its duration is not known');
  return {
    ext: extname(path).slice(1).toLowerCase(),
    acodec: codecName(audio?.codec_name),
    vcodec: codecName(video?.codec_name),
    durationSeconds: Math.round(durationSeconds * 1000) / 1000,
    filesize: size,
    tbr: Math.round((size * 8) / durationSeconds) / 1000,
    width: video?.width ?? null,
    height: video?.height ?? null,
    fps: rateOf(video?.avg_frame_rate),
    asr: audio?.sample_rate,
    audio_channels: audio?.channels,
  };
}

/** @returns undefined for the fraction 0/0 of pictures without a constant rate */
function rateOf(fraction = '0/0'): number | undefined {
  const [pictures = 0, seconds = 0] = fraction.split('/').map(Number);
  return pictures > 0 && seconds > 0 ? Math.round((pictures / seconds) * 100) / 100 : undefined;
}

const CODEC_NAMES: Readonly<Record<string, string>> = { aac: 'mp4a.40.2', h264: 'avc1' };

/** @returns `none` without such a track */
function codecName(name = 'none'): string {
  return CODEC_NAMES[name] ?? name;
}
