import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { fileUrl, INPUT_GUARD, startTool, surroundings, UnreadableMediaError } from '../media/media-guard.ts';
import { timeForMs } from '../media/media-limits.ts';
import type { Span } from '../contract/speech-results.ts';
import { run } from '../runtime/subprocess/run-program.ts';
import { createMixLevels, PRINT_LEVELS } from './mix-levels.ts';
import { BYTES_PER_SAMPLE, SAMPLE_RATE, WAV_HEADER_BYTES, wavHeader } from './wav.ts';

/** What the prepared audio is made of: all channels, or the one of two that was taken alone. */
export const TAKEN = ['mix', 'left', 'right'] as const;
export type Taken = (typeof TAKEN)[number];

interface ToolOptions {
  /** Absolute path of ffmpeg. */
  readonly ffmpeg: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface PrepareOptions extends ToolOptions {
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
 * @returns what it was made of
 * @throws JobError `incomplete` when there is no audio in it that can be read, `tool_missing`, `internal`
 */
export async function prepareWav(input: string, output: string, options: PrepareOptions): Promise<Taken> {
  const { ffmpeg, signal, timeoutMs, maxSeconds, onProgress } = options;
  const mostMs = Math.min(timeoutMs, timeForMs({ bytes: (await stat(input)).size, seconds: maxSeconds }));
  const levels = createMixLevels();
  /** @param take filters of ffmpeg; what they leave is mixed */
  const writeMono = async (take: string): Promise<void> => {
    const args = [
      ...['-v', 'error', '-nostdin', '-y', ...INPUT_GUARD, '-i', fileUrl(input), '-filter_complex'],
      `[0:a:0]asplit[heard][looked];[heard]${take}[mono];[looked]${PRINT_LEVELS}[levels]`,
      ...['-map', '[mono]', '-vn', '-sn', '-dn'],
      ...['-t', String(maxSeconds), '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le'],
      ...['-map_metadata', '-1', '-fflags', '+bitexact', '-flags', '+bitexact', '-f', 'wav', fileUrl(output)],
      // An output of its own: where the graph itself swallowed them, ffmpeg 7.1 of Debian 13 aborted at the end.
      ...['-map', '[levels]', '-t', String(maxSeconds), '-f', 'null', '-'],
    ];
    const onStdoutLine = (line: string): void => {
      const seconds = levels.read(line);
      if (seconds !== undefined) onProgress(seconds);
    };
    const result = await startTool('FFMPEG_PATH', () =>
      run(ffmpeg, args, { ...surroundings(output, ffmpeg), signal, timeoutMs: mostMs, onStdoutLine }),
    );
    if (result.exitCode !== 0) throw new UnreadableMediaError(result.stderrTail);
  };
  await writeMono(filterOf('mix'));
  const channel = levels.channelInstead();
  if (channel === undefined) return 'mix';
  const taken = channel === 0 ? 'left' : 'right';
  await writeMono(filterOf(taken));
  return taken;
}

function filterOf(taken: Taken): string {
  return taken === 'mix' ? 'anull' : `aformat=channel_layouts=stereo,pan=mono|c0=${taken === 'left' ? 'c0' : 'c1'}`;
}

/** Decoders and filters need some sound before and after what is asked for; whole seconds keep the places of samples. */
const LEAD_SECONDS = 1;

/**
 * Writes a part of the audio as {@link prepareWav} writes all of it, each sample in its place: before the part there is a
 * hole, which takes no space. Only the part is decoded.
 *
 * @param input as there, whose sound has no gaps
 * @param output absolute path; replaced
 * @throws JobError as there
 */
export async function cutWindow(
  input: string,
  output: string,
  { startSeconds, endSeconds, taken, ...options }: Span & ToolOptions & { readonly taken: Taken },
): Promise<void> {
  const { ffmpeg, signal } = options;
  const fromSeconds = Math.max(0, Math.floor(startSeconds) - LEAD_SECONDS);
  const toSeconds = Math.ceil(endSeconds) + LEAD_SECONDS;
  const seekSeconds = fromSeconds - LEAD_SECONDS;
  const timeoutMs = Math.min(options.timeoutMs, timeForMs({ seconds: toSeconds - fromSeconds }));
  const samples = `${output}.samples`;
  // By times of the file: after a seek, ffmpeg's own count is off by what encoders put before the sound.
  const cut = `atrim=start=${String(fromSeconds)}:end=${String(toSeconds)}`;
  const args = [
    ...['-v', 'error', '-nostdin', '-y', ...INPUT_GUARD, '-copyts'],
    ...(seekSeconds > 0 ? ['-ss', String(seekSeconds)] : []),
    ...['-i', fileUrl(input), '-filter_complex', `[0:a:0]${cut},${filterOf(taken)}[mono]`, '-map', '[mono]'],
    ...['-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', '-f', 's16le', fileUrl(samples)],
  ];
  try {
    const result = await startTool('FFMPEG_PATH', () =>
      run(ffmpeg, args, { ...surroundings(output, ffmpeg), signal, timeoutMs }),
    );
    if (result.exitCode !== 0) throw new UnreadableMediaError(result.stderrTail);
    await putInPlace(samples, output, fromSeconds * SAMPLE_RATE * BYTES_PER_SAMPLE);
  } finally {
    await rm(samples, { force: true });
  }
}

async function putInPlace(samples: string, output: string, offsetBytes: number): Promise<void> {
  const { size } = await stat(samples);
  await writeFile(output, wavHeader(offsetBytes + size));
  const start = WAV_HEADER_BYTES + offsetBytes;
  await pipeline(createReadStream(samples), createWriteStream(output, { flags: 'r+', start }));
}
