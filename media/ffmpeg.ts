import { dirname } from 'node:path';
import { z } from 'zod';
import { JobError } from '../contract/job-error.ts';
import { run, RunStartError, RunTimeoutError, type RunResult } from '../subprocess/run.ts';

/**
 * Containers that may be opened. Without this list ffmpeg goes by content: an .m4a that is a playlist or ffconcat text
 * would copy a neighbour's file into the output.
 */
const CONTAINERS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,ogg,wav,flac,aac';
const INPUT_GUARD = ['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS] as const;
const PROBE_TIMEOUT_MS = 60_000;
const PROBE_MAX_CHARS = 4 * 1024 * 1024;
/** AAC frames of 1024 samples: a bit rate at which speech and music survive comparison with the source. */
const AAC_BIT_RATE = '192k';

export interface FfmpegSettings {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  readonly maxFileBytes: number;
  readonly maxMediaSeconds: number;
}

export interface Probe {
  /** Comma-separated names of the container, as ffprobe gives them. */
  readonly container: string;
  /** Longest of container and streams, in seconds. */
  readonly durationSeconds: number;
  readonly sizeBytes: number;
  readonly streams: readonly { readonly kind: string; readonly codec: string }[];
}

/** ffmpeg and ffprobe on files that may be hostile. All paths are absolute. */
export interface Media {
  /** @throws JobError `incomplete` when the file is no media, `tool_missing` when ffprobe can't be started */
  probe(path: string, signal: AbortSignal): Promise<Probe>;
  /** Writes the first audio stream as M4A: AAC is copied, anything else becomes AAC. */
  writeM4a(input: { path: string; audioCodec: string }, output: string, options: RunLimits): Promise<void>;
}

interface RunLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called with the seconds of media written so far. */
  readonly onProgress: (seconds: number) => void;
}

const probeSchema = z.object({
  format: z.object({ format_name: z.string(), duration: z.coerce.number().optional(), size: z.coerce.number() }),
  streams: z.array(
    z.object({
      codec_type: z.string(),
      codec_name: z.string().default('unknown'),
      duration: z.coerce.number().optional(),
    }),
  ),
});

export function createMedia(settings: FfmpegSettings): Media {
  return {
    async probe(path, signal) {
      const args = ['-v', 'error', ...INPUT_GUARD, '-show_format', '-show_streams', '-of', 'json', '-i', fileUrl(path)];
      const result = await start('FFPROBE_PATH', () =>
        run(settings.ffprobe, args, {
          ...surroundings(path, settings.ffprobe),
          signal,
          timeoutMs: PROBE_TIMEOUT_MS,
          maxStdoutChars: PROBE_MAX_CHARS,
        }),
      );
      const parsed = result.exitCode === 0 ? probeSchema.safeParse(JSON.parse(result.stdout)) : undefined;
      if (parsed?.success !== true) throw unreadable(result.stderrTail);
      const { format, streams } = parsed.data;
      return {
        container: format.format_name,
        durationSeconds: Math.max(format.duration ?? 0, ...streams.map((stream) => stream.duration ?? 0)),
        sizeBytes: format.size,
        streams: streams.map((stream) => ({ kind: stream.codec_type, codec: stream.codec_name })),
      };
    },

    async writeM4a(input, output, options) {
      const codec = input.audioCodec === 'aac' ? ['-c:a', 'copy'] : ['-c:a', 'aac', '-b:a', AAC_BIT_RATE];
      const args = [
        ...['-v', 'error', '-nostdin', '-y', ...INPUT_GUARD, '-i', fileUrl(input.path)],
        // Mapped streams only; a decoded bomb ends at the duration limit.
        ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1', '-t', String(settings.maxMediaSeconds)],
        ...[...codec, '-movflags', '+faststart', '-f', 'ipod', '-progress', 'pipe:1', fileUrl(output)],
      ];
      const result = await start('FFMPEG_PATH', () =>
        run(settings.ffmpeg, args, {
          ...surroundings(output, settings.ffmpeg),
          signal: options.signal,
          timeoutMs: options.timeoutMs,
          maxFileBytes: settings.maxFileBytes,
          onStdoutLine: (line) => {
            const written = /^out_time_us=(\d+)$/.exec(line)?.[1];
            if (written !== undefined) options.onProgress(Number(written) / 1_000_000);
          },
        }),
      );
      if (result.exitCode !== 0) throw conversionFailure(result);
    },
  };
}

async function start(setting: string, launch: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await launch();
  } catch (error) {
    if (error instanceof RunStartError) {
      throw new JobError('tool_missing', `A media tool cannot be started; the operator must check ${setting}.`, {
        cause: error,
      });
    }
    if (error instanceof RunTimeoutError) {
      throw new JobError('internal', 'The conversion took longer than this service allows.', { cause: error });
    }
    throw error;
  }
}

function conversionFailure(result: RunResult): JobError {
  if (/No space left on device|Disk quota exceeded/.test(result.stderrTail)) {
    return new JobError('disk_full', 'The service has no space left.', { cause: new Error(result.stderrTail) });
  }
  return unreadable(result.stderrTail);
}

function unreadable(stderrTail: string): JobError {
  return new JobError('incomplete', 'The media that the platform sent cannot be read.', {
    cause: new Error(stderrTail.slice(-2_000)),
  });
}

/** A file whose name begins like a URL would otherwise be opened as one. */
function fileUrl(absolutePath: string): string {
  return `file:${absolutePath}`;
}

function surroundings(path: string, program: string): { cwd: string; env: Record<string, string> } {
  return { cwd: dirname(path), env: { PATH: `${dirname(program)}:/usr/local/bin:/usr/bin:/bin`, LANG: 'C.UTF-8' } };
}
