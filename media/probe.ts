import { z } from 'zod';
import type { RunOptions } from '../runtime/subprocess/run-program.ts';
import { fileUrl, INPUT_GUARD, runTool, UnreadableMediaError } from './media-guard.ts';

const TIMEOUT_MS = 60_000;
const MAX_CHARS = 4 * 1024 * 1024;
/** Shorter gaps are not audible as a delay. */
export const MAX_GAP_SECONDS = 0.25;

const formatSchema = z.object({
  format_name: z.string(),
  /** For people, such as `QuickTime / MOV`. */
  format_long_name: z.string().default(''),
  /** When the first stream starts on the file's own time line. */
  start_time: z.coerce.number().catch(0),
  duration: z.coerce.number().optional(),
  size: z.coerce.number(),
});
const streamSchema = z.object({
  index: z.number(),
  codec_type: z.string(),
  codec_name: z.string().default('unknown'),
  profile: z.string().optional(),
  /** In seconds; undefined in containers that state it for the whole only (Matroska). */
  duration: z.coerce.number().optional(),
  pix_fmt: z.string().optional(),
  color_transfer: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  avg_frame_rate: z.string().optional(),
  sample_rate: z.coerce.number().optional(),
  channels: z.number().optional(),
  bit_rate: z.coerce.number().optional(),
  disposition: z.record(z.string(), z.number()).default({}),
});
const packetSchema = z.object({ pts_time: z.coerce.number().catch(0) });
const probeSchema = z
  .object({ format: formatSchema, streams: z.array(streamSchema), packets: z.array(packetSchema).default([]) })
  .transform(({ format: { duration = 0, ...format }, streams, packets }) => ({
    ...format,
    /** The time of the first packet. It is negative if players skip the beginning. */
    firstTime: packets[0]?.pts_time ?? 0,
    /** The longest duration that the headers of container and streams state, in seconds. It may be wrong; it is 0 if they state none. */
    durationSeconds: Math.max(duration, ...streams.map((stream) => stream.duration ?? 0)),
    /** The best of each kind first. */
    streams: streams
      // An album cover is stored as a video stream.
      .filter(({ disposition }) => STILL_PICTURES.every((name) => disposition[name] !== 1))
      .toSorted((a, b) => rankOf(a) - rankOf(b)),
  }));
/** A file as ffprobe describes it. All fields except `durationSeconds` have its names. */
export type Probe = z.infer<typeof probeSchema>;

export interface MediaSource {
  readonly path: string;
  readonly probe: Probe;
}

const STILL_PICTURES = ['attached_pic', 'timed_thumbnails'];
/** Dispositions of tracks that replace or comment on the main one, such as an audio description. */
const ALTERNATIVES = [
  ...['dub', 'comment', 'lyrics', 'karaoke', 'hearing_impaired', 'visual_impaired', 'clean_effects', 'descriptions'],
];

/** The main track is the one marked as default, then one in the original language, then the first. */
function rankOf({ disposition }: z.infer<typeof streamSchema>): number {
  const isMarked = (name: string) => disposition[name] === 1;
  return (ALTERNATIVES.some(isMarked) ? 4 : 0) + (isMarked('default') ? 0 : 2) + (isMarked('original') ? 0 : 1);
}

/** The main stream of a kind; undefined when there is none. */
export function streamOf(probe: Probe, kind: 'audio' | 'video'): Probe['streams'][number] | undefined {
  return probe.streams.find((stream) => stream.codec_type === kind);
}

export function codecOf(probe: Probe, kind: 'audio' | 'video'): string | undefined {
  return streamOf(probe, kind)?.codec_name;
}

/** The entries exclude texts from the file, which may have megabytes. */
const ENTRIES = `format=${namesIn(formatSchema)}:stream=${namesIn(streamSchema)}:stream_disposition:packet=pts_time`;

function namesIn({ shape }: z.ZodObject): string {
  return Object.keys(shape).join(',');
}

/** @throws UnreadableMediaError when the file is no media, JobError `tool_missing` when ffprobe can't be started */
export async function probeFile(
  ffprobe: string,
  path: string,
  options: Pick<FfprobeOptions, 'guard'> & { readonly signal: AbortSignal },
): Promise<Probe> {
  const args = ['-show_entries', ENTRIES, '-read_intervals', '%+#1'];
  return runFfprobe(ffprobe, path, { schema: probeSchema, args, timeoutMs: TIMEOUT_MS, ...options });
}

type ProbeLimits = Required<Pick<RunOptions, 'signal' | 'timeoutMs'>>;

const countSchema = z
  .object({ streams: z.array(z.object({ nb_read_packets: z.coerce.number() })) })
  .transform(({ streams }) => Math.max(0, ...streams.map((stream) => stream.nb_read_packets)));

/**
 * Counts the frames of a stream by reading the whole file, because the file's own count may be wrong or missing.
 *
 * @throws as {@link probeFile}
 */
export function countPictures(
  ffprobe: string,
  { path, index }: { readonly path: string; readonly index: number },
  limits: ProbeLimits,
): Promise<number> {
  const args = ['-select_streams', String(index), '-count_packets', '-show_entries', 'stream=nb_read_packets'];
  return runFfprobe(ffprobe, path, { schema: countSchema, args, ...limits });
}

/** Frames come a little later than their packets. All from the key frame before are decoded. */
const END_SECONDS = 3;
const TOGETHER_SECONDS = 1;

/**
 * Decodes the ends of the streams of a file, because damaged packets can be copied but not decoded.
 *
 * @returns the kinds of the streams whose last frames are missing; all kinds if ffprobe fails
 * @throws JobError `tool_missing` when ffprobe can't be started
 */
export async function undecodableKinds(
  ffprobe: string,
  { path, probe: { streams, durationSeconds } }: MediaSource,
  limits: ProbeLimits,
): Promise<readonly string[]> {
  const ends = streams.map(({ index, codec_type: kind }) => ({ index: String(index), kind, packet: 0, frame: 0 }));
  // Streams that end together are read together.
  const starts = streams
    .map(({ duration = durationSeconds }) => Math.max(0, duration - END_SECONDS))
    .toSorted((a, b) => b - a)
    .filter((start, n, all) => (all[n - 1] ?? Infinity) - start > TOGETHER_SECONDS)
    .toReversed();
  // Some builds of ffprobe read nothing if the interval has no end.
  const intervals = starts.map((start, n) => `${start}%+${n < starts.length - 1 ? 2 * END_SECONDS : 86_400}`);
  const entries = 'packet=stream_index,pts_time:frame=stream_index,best_effort_timestamp_time';
  const { exitCode } = await launchFfprobe(ffprobe, path, {
    args: ['-read_intervals', intervals.join(','), '-show_entries', entries, '-of', 'compact'],
    ...limits,
    onStdoutLine: (line) => {
      const [, type, index, time] = /^(packet|frame)\|stream_index=(\d+)\|\w+=([\d.]+)/.exec(line) ?? [];
      const end = ends.find((one) => one.index === index);
      if (end && (type === 'packet' || type === 'frame')) end[type] = Math.max(end[type], Number(time));
    },
  });
  return ends.filter(({ packet, frame }) => exitCode !== 0 || packet - frame > MAX_GAP_SECONDS).map(({ kind }) => kind);
}

interface FfprobeOptions extends Partial<RunOptions> {
  readonly args: readonly string[];
  readonly guard?: readonly string[];
}

async function runFfprobe<Answer>(
  ffprobe: string,
  path: string,
  { schema, args, ...options }: FfprobeOptions & { readonly schema: z.ZodType<Answer> },
): Promise<Answer> {
  const limits = { ...options, maxStdoutChars: MAX_CHARS };
  const result = await launchFfprobe(ffprobe, path, { args: [...args, '-of', 'json'], ...limits });
  const parsed = result.exitCode === 0 ? schema.safeParse(JSON.parse(result.stdout)) : undefined;
  if (parsed?.success !== true) throw new UnreadableMediaError(result.stderrTail);
  return parsed.data;
}

function launchFfprobe(ffprobe: string, path: string, { args, guard = INPUT_GUARD, ...options }: FfprobeOptions) {
  const ffprobeArgs = ['-v', 'error', ...guard, ...args, '-i', fileUrl(path)];
  return runTool('FFPROBE_PATH', ffprobeArgs, { program: ffprobe, path, ...options });
}
