import { fileUrl, INPUT_GUARD, startTool, surroundings, UnreadableMediaError } from '../media/guard.ts';
import { run } from '../runtime/subprocess/run.ts';
import { createMixLevels, PRINT_LEVELS } from './mix-levels.ts';
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
 * Writes the first audio stream as mono 16-bit WAV at 16 kHz: 115 MB an hour. Its channels are mixed; where they cancel each
 * other, since one is inverted, the louder one is taken alone.
 *
 * @param input absolute path of a media file, which may be hostile
 * @param output absolute path; replaced
 * @throws JobError `incomplete` when there is no audio in it that can be read, `tool_missing`, `internal`
 */
export async function prepareWav(input: string, output: string, options: PrepareOptions): Promise<void> {
  const { ffmpeg, signal, timeoutMs, maxSeconds, onProgress } = options;
  const levels = createMixLevels();
  /** @param take filters of ffmpeg; what they leave is mixed */
  const writeMono = async (take: string): Promise<void> => {
    const args = [
      ...['-v', 'error', '-nostdin', '-y', ...INPUT_GUARD, '-i', fileUrl(input), '-filter_complex'],
      `[0:a:0]asplit[heard][looked];[heard]${take}[mono];[looked]${PRINT_LEVELS}`,
      ...['-map', '[mono]', '-vn', '-sn', '-dn'],
      ...['-t', String(maxSeconds), '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le'],
      ...['-map_metadata', '-1', '-fflags', '+bitexact', '-flags', '+bitexact', '-f', 'wav', fileUrl(output)],
    ];
    const onStdoutLine = (line: string): void => {
      const seconds = levels.read(line);
      if (seconds !== undefined) onProgress(seconds);
    };
    const result = await startTool('FFMPEG_PATH', () =>
      run(ffmpeg, args, { ...surroundings(output, ffmpeg), signal, timeoutMs, onStdoutLine }),
    );
    if (result.exitCode !== 0) throw new UnreadableMediaError(result.stderrTail);
  };
  await writeMono('anull');
  const channel = levels.channelInstead();
  if (channel !== undefined) await writeMono(`aformat=channel_layouts=stereo,pan=mono|c0=c${channel}`);
}
