import { failureFor } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { fileUrl, MEDIA_THREADS, runTool, UnreadableMediaError } from './media-guard.ts';

/** Written beyond the longest permitted duration, so that media that are too long are recognised. */
export const EXCESS_SECONDS = 0.25;

export interface RunLimits {
  readonly signal: AbortSignal;
  /** Time limit of all runs together. Each run also has a limit that depends on its work. */
  readonly timeoutMs: number;
  /** Called with the seconds of media written so far. */
  readonly onProgress?: (seconds: number) => void;
}

export interface ConvertSettings {
  readonly ffmpeg: string;
  readonly maxFileBytes: number;
  readonly maxMediaSeconds: number;
}

/** The duration limit ends a decompression bomb. */
export function mostSeconds({ maxMediaSeconds }: Pick<ConvertSettings, 'maxMediaSeconds'>): readonly string[] {
  return ['-t', String(maxMediaSeconds + EXCESS_SECONDS)];
}

/** The work of a run of ffmpeg: bytes to copy, seconds of audio to encode, pixels to decode and encode. */
export interface Work {
  readonly bytes?: number;
  readonly seconds?: number;
  readonly pixels?: number;
}

/** The time limit of a run, for a slow machine with four runs at once. One of two cores takes a tenth of it. */
export function timeForMs({ bytes = 0, seconds = 0, pixels = 0 }: Work): number {
  return 1000 * (120 + bytes / 5e6 + seconds / 8 + pixels / 1e7);
}

/** The function that runs ffmpeg with arguments before one output. */
export function createConvert(settings: ConvertSettings) {
  /**
   * @param options `keeps`: metadata and captions that the arguments map are written, too
   * @returns the end of the output, and the size of the first output if there are several
   */
  return async (
    args: readonly string[],
    output: string,
    options: RunLimits & { readonly work: Work; readonly keeps?: true },
  ): Promise<{ readonly seconds: number; readonly bytes: number }> => {
    const common = ['-v', 'error', '-nostdin', '-y', '-filter_threads', String(MEDIA_THREADS)];
    // Only mapped streams are written.
    const streams = options.keeps === true ? [] : ['-sn', '-dn', '-map_metadata', '-1'];
    const limits = [...streams, '-threads', String(MEDIA_THREADS), ...mostSeconds(settings)];
    const target = ['-movflags', '+faststart', '-progress', 'pipe:1', fileUrl(output)];
    const written = { seconds: 0, bytes: 0 };
    const result = await runTool('FFMPEG_PATH', [...common, ...args, ...limits, ...target], {
      ...{ program: settings.ffmpeg, path: output },
      signal: options.signal,
      timeoutMs: Math.min(options.timeoutMs, timeForMs(options.work)),
      maxFileBytes: settings.maxFileBytes,
      onStdoutLine: (line) => {
        const [, name, value] = /^(out_time_us|total_size)=(\d+)$/.exec(line) ?? [];
        if (name === 'total_size') written.bytes = Number(value);
        if (name === 'out_time_us') written.seconds = Number(value) / 1_000_000;
        if (name === 'out_time_us') options.onProgress?.(written.seconds);
      },
    });
    if (result.exitCode === 0) return written;
    if (/No space left on device|Disk quota exceeded/.test(result.stderrTail)) {
      throw new JobError('diskFull', { cause: new Error(result.stderrTail) });
    }
    if (/Cannot allocate memory|malloc of size \d+ failed/.test(result.stderrTail)) {
      throw new JobError('mediaTooMuchMemory', { cause: new Error(result.stderrTail.slice(-2_000)) });
    }
    const [, filter] = /No such filter: '(\w+)'/.exec(result.stderrTail) ?? [];
    if (filter !== undefined) throw new JobError(failureFor('mediaFilterMissing', { filter }));
    throw new UnreadableMediaError(result.stderrTail);
  };
}
