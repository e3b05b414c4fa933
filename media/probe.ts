import { z } from 'zod';
import { run } from '../runtime/subprocess/run.ts';
import { fileUrl, INPUT_GUARD, startTool, surroundings, UnreadableMediaError } from './guard.ts';

const TIMEOUT_MS = 60_000;
const MAX_CHARS = 4 * 1024 * 1024;

const probeSchema = z
  .object({
    format: z.object({
      format_name: z.string(),
      format_long_name: z.string().default(''),
      duration: z.coerce.number().optional(),
      size: z.coerce.number(),
    }),
    streams: z.array(
      z.object({
        codec_type: z.string(),
        codec_name: z.string().default('unknown'),
        profile: z.string().optional(),
        /** In seconds; undefined in containers that state it for the whole only (Matroska). */
        duration: z.coerce.number().optional(),
        pix_fmt: z.string().optional(),
        sample_rate: z.coerce.number().optional(),
        channels: z.number().optional(),
        bit_rate: z.coerce.number().optional(),
        disposition: z.object({ attached_pic: z.number().optional() }).optional(),
      }),
    ),
  })
  .transform(({ format, streams }) => ({
    /** Comma-separated names of the container, as ffprobe gives them. */
    container: format.format_name,
    /** For people, such as `QuickTime / MOV`. */
    containerName: format.format_long_name,
    /** Longest of container and streams, in seconds. */
    durationSeconds: Math.max(format.duration ?? 0, ...streams.map((stream) => stream.duration ?? 0)),
    sizeBytes: format.size,
    streams: streams
      // The cover of an album is no picture of a video.
      .filter((stream) => stream.disposition?.attached_pic !== 1)
      .map((stream) => ({
        kind: stream.codec_type,
        codec: stream.codec_name,
        profile: stream.profile,
        pixelFormat: stream.pix_fmt,
        durationSeconds: stream.duration,
        sampleRateHz: stream.sample_rate,
        channels: stream.channels,
        bitsPerSecond: stream.bit_rate,
      })),
  }));
export type Probe = z.infer<typeof probeSchema>;

/** The codec of the first stream of a kind; undefined when there is none. */
export function codecOf(probe: Probe, kind: 'audio' | 'video'): string | undefined {
  return probe.streams.find((stream) => stream.kind === kind)?.codec;
}

/** Nothing of the file's own words, which may be megabytes. */
const ENTRIES = [
  'format=format_name,format_long_name,duration,size',
  'stream=codec_type,codec_name,profile,duration,pix_fmt,sample_rate,channels,bit_rate',
  'stream_disposition=attached_pic',
].join(':');

/** @throws UnreadableMediaError when the file is no media, JobError `tool_missing` when ffprobe can't be started */
export async function probeFile(ffprobe: string, path: string, signal: AbortSignal): Promise<Probe> {
  const args = ['-v', 'error', ...INPUT_GUARD, '-show_entries', ENTRIES, '-of', 'json', '-i', fileUrl(path)];
  const limits = { signal, timeoutMs: TIMEOUT_MS, maxStdoutChars: MAX_CHARS };
  const result = await startTool('FFPROBE_PATH', () =>
    run(ffprobe, args, { ...surroundings(path, ffprobe), ...limits }),
  );
  const parsed = result.exitCode === 0 ? probeSchema.safeParse(JSON.parse(result.stdout)) : undefined;
  if (parsed?.success !== true) throw new UnreadableMediaError(result.stderrTail);
  return parsed.data;
}
