import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { fileUrl, INPUT_GUARD, runTool, UnreadableMediaError } from '../media/media-guard.ts';
import { timeForMs, type Work } from '../media/convert.ts';
import { KEEP_TIME_LINE } from '../media/output-file.ts';
import type { Span } from '../contract/speech-results.ts';
import { createMixLevels, LEVEL_FILTERS } from './mix-levels.ts';
import { BYTES_PER_SAMPLE, SAMPLE_RATE, WAV_HEADER_BYTES, wavHeader } from './wav.ts';

export const CHANNEL_SELECTIONS = ['mix', 'left', 'right'] as const;
export type ChannelSelection = (typeof CHANNEL_SELECTIONS)[number];

interface ToolOptions {
  readonly ffmpeg: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface PrepareOptions extends ToolOptions {
  readonly maxSeconds: number;
}

/** A decoder skips unreadable parts, which would become silence. If they exceed a hundredth, the file counts as damaged. */
const QUIET = ['-v', 'error', '-nostdin', '-y', '-max_error_rate', '0.01'] as const;

/**
 * Writes mono 16-bit WAV at 16 kHz, 115 MB per hour, with the time line of the file: gaps are silence. If one channel is inverted, so that both cancel each other in a mix,
 * only the louder one is used. `input` may be hostile.
 *
 * @throws JobError `incomplete` if the file has no readable audio, `tool_missing`, `internal`
 */
export async function prepareWav(input: string, output: string, options: PrepareOptions): Promise<ChannelSelection> {
  const { maxSeconds } = options;
  const work = { bytes: (await stat(input)).size, seconds: maxSeconds };
  const levels = createMixLevels();
  const writeMono = async (filter: string): Promise<void> => {
    const args = [
      ...[...QUIET, ...INPUT_GUARD, '-i', fileUrl(input), '-filter_complex'],
      `[0:a:0]asplit[sound][copy];[sound]${filter},${KEEP_TIME_LINE}[mono];[copy]${LEVEL_FILTERS}[levels]`,
      ...['-map', '[mono]', '-vn', '-sn', '-dn'],
      ...['-t', String(maxSeconds), '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le'],
      ...['-map_metadata', '-1', '-fflags', '+bitexact', '-flags', '+bitexact', '-f', 'wav', fileUrl(output)],
      // This is a separate output because ffmpeg 7.1 of Debian 13 aborted if the filter graph discarded it.
      ...['-map', '[levels]', '-t', String(maxSeconds), '-f', 'null', '-'],
    ];
    await runFfmpeg(args, output, { ...options, work, onStdoutLine: (line) => levels.read(line) });
  };
  await writeMono(filterOf('mix'));
  const channel = levels.channelToUse();
  if (channel === undefined) return 'mix';
  await writeMono(filterOf(channel));
  return channel;
}

function filterOf(channels: ChannelSelection): string {
  return channels === 'mix'
    ? 'anull'
    : `aformat=channel_layouts=stereo,pan=mono|c0=${channels === 'left' ? 'c0' : 'c1'}`;
}

export interface CutOptions extends Span, ToolOptions {
  readonly taken: ChannelSelection;
}

/** Decoders and filters need some audio around the requested part. Whole seconds keep the samples at their offsets. */
const LEAD_SECONDS = 1;

/** Cuts a part of the audio without preparing all of it. Gaps before the part keep its samples at the offsets of {@link prepareWav}. */
export async function cutWindow(
  input: string,
  output: string,
  { startSeconds, endSeconds, taken, ...options }: CutOptions,
): Promise<void> {
  const fromSeconds = Math.max(0, Math.floor(startSeconds) - LEAD_SECONDS);
  const toSeconds = Math.ceil(endSeconds) + LEAD_SECONDS;
  const seekSeconds = fromSeconds - LEAD_SECONDS;
  const samples = `${output}.samples`;
  // The filter uses the timestamps of the file: after a seek, ffmpeg's own count is off by the encoder delay.
  const cut = `atrim=start=${String(fromSeconds)}:end=${String(toSeconds)}`;
  const fill = `aresample=${String(SAMPLE_RATE)},aresample=async=1:first_pts=${String(fromSeconds * SAMPLE_RATE)}`;
  const args = [
    ...[...QUIET, ...INPUT_GUARD, '-copyts'],
    ...(seekSeconds > 0 ? ['-ss', String(seekSeconds)] : []),
    ...['-i', fileUrl(input), '-filter_complex', `[0:a:0]${cut},${filterOf(taken)},${fill}[mono]`, '-map', '[mono]'],
    ...['-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', '-f', 's16le', fileUrl(samples)],
  ];
  try {
    await runFfmpeg(args, output, { ...options, work: { seconds: toSeconds - fromSeconds } });
    await writeAtOffset(samples, output, fromSeconds * SAMPLE_RATE * BYTES_PER_SAMPLE);
  } finally {
    await rm(samples, { force: true });
  }
}

async function runFfmpeg(
  args: readonly string[],
  path: string,
  {
    ffmpeg: program,
    work,
    ...options
  }: ToolOptions & { readonly work: Work; readonly onStdoutLine?: (line: string) => void },
): Promise<void> {
  const timeoutMs = Math.min(options.timeoutMs, timeForMs(work));
  const result = await runTool('FFMPEG_PATH', args, { ...options, program, path, timeoutMs });
  if (result.exitCode !== 0) throw new UnreadableMediaError(result.stderrTail);
}

async function writeAtOffset(samples: string, output: string, offsetBytes: number): Promise<void> {
  const { size } = await stat(samples);
  await writeFile(output, wavHeader(offsetBytes + size));
  const start = WAV_HEADER_BYTES + offsetBytes;
  await pipeline(createReadStream(samples), createWriteStream(output, { flags: 'r+', start }));
}
