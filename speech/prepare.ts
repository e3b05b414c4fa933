import { fileUrl, INPUT_GUARD, startTool, surroundings, unreadable } from '../media/guard.ts';
import { run } from '../subprocess/run.ts';
import { SAMPLE_RATE } from './wav.ts';

export interface PrepareOptions {
  /** Absolute path of ffmpeg. */
  readonly ffmpeg: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Longer audio is cut here. */
  readonly maxSeconds: number;
  /** Called with the seconds written so far. */
  readonly onProgress: (seconds: number) => void;
}

/**
 * Writes the first audio stream as mono 16-bit WAV at 16 kHz: 115 MB an hour.
 *
 * @param input absolute path of a media file, which may be hostile
 * @param output absolute path; replaced
 * @throws JobError `incomplete` when there is no audio in it that can be read, `tool_missing`, `internal`
 */
export async function prepareWav(input: string, output: string, options: PrepareOptions): Promise<void> {
  const result = await startTool('FFMPEG_PATH', () =>
    run(
      options.ffmpeg,
      [
        ...[
          '-v',
          'error',
          '-nostdin',
          '-y',
          ...INPUT_GUARD,
          '-i',
          fileUrl(input),
          '-map',
          '0:a:0',
          '-vn',
          '-sn',
          '-dn',
        ],
        ...['-t', String(options.maxSeconds), '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le'],
        ...['-map_metadata', '-1', '-fflags', '+bitexact', '-flags', '+bitexact', '-f', 'wav'],
        ...['-progress', 'pipe:1', fileUrl(output)],
      ],
      {
        ...surroundings(output, options.ffmpeg),
        signal: options.signal,
        timeoutMs: options.timeoutMs,
        onStdoutLine: (line) => {
          const written = /^out_time_us=(\d+)$/.exec(line)?.[1];
          if (written !== undefined) options.onProgress(Number(written) / 1_000_000);
        },
      },
    ),
  );
  if (result.exitCode !== 0) throw unreadable(result.stderrTail);
}
