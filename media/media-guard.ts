import { dirname } from 'node:path';
import { JobError } from '../runtime/job-error.ts';
import { bareEnvironment } from '../runtime/subprocess/bare-environment.ts';
import { RunStartError, RunTimeoutError, type RunOptions, type RunResult } from '../runtime/subprocess/run-program.ts';

/**
 * Containers that may be opened. Without this list ffmpeg goes by content: an .m4a that is a playlist or ffconcat text
 * would copy a neighbour's file into the output.
 */
const CONTAINERS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,ogg,wav,flac,aac';

/**
 * Decoders that may run, by ffmpeg's names: what the containers above hold on media platforms. ffmpeg has 500, some of which
 * nobody has looked after for decades, and one draws SVG with what it links to. ffprobe opens those of every stream, so covers
 * and subtitles have theirs here too.
 */
const DECODERS = [
  ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'libdav1d', 'libaom-av1', 'av1'],
  ...['mpeg1video', 'mpeg2video', 'mpeg4', 'msmpeg4', 'msmpeg4v2', 'h263', 'theora', 'prores'],
  ...['aac', 'aac_latm', 'aac_fixed', 'mp3', 'mp3float', 'mp2', 'mp2float', 'mp1', 'mp1float', 'opus', 'libopus'],
  ...['vorbis', 'libvorbis', 'flac', 'alac', 'ac3', 'eac3', 'amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb'],
  ...['pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ...['pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be', 'pcm_alaw', 'pcm_mulaw', 'adpcm_ms', 'adpcm_ima_wav'],
  ...['dca', 'truehd', 'png', 'mjpeg', 'webp', 'bmp', 'gif'],
  ...['mov_text', 'webvtt', 'subrip', 'srt', 'text', 'ass', 'ssa'],
  ...['dvdsub', 'dvbsub', 'pgssub', 'cc_dec'],
].join(',');

/** 8192 x 4320: a picture of 8 bits takes 53 MB, and decoders hold a dozen. */
const MAX_PIXELS = 35_389_440;
/** Pictures, sound in many languages, subtitles, covers. */
const MAX_STREAMS = 200;
/** Largest single piece of memory, such as the index of a file. */
const MAX_ALLOCATION_BYTES = 512 * 1024 ** 2;
/** Each holds pictures of its own. */
export const MEDIA_THREADS = 4;
/** Re-encoding pictures of that size takes 2.8 GB, in 1080 lines 0.3 GB. */
const MEDIA_MEMORY_BYTES = 4 * 1024 ** 3;

/** Arguments before each input that may be hostile. */
export const INPUT_GUARD = guardOf(CONTAINERS);
/** The same for the parts of an HLS playlist, one after the other. */
export const TRANSPORT_STREAM_GUARD = guardOf('mpegts');

function guardOf(containers: string): readonly string[] {
  return [
    ...['-protocol_whitelist', 'file', '-format_whitelist', containers, '-codec_whitelist', DECODERS],
    ...['-max_pixels', String(MAX_PIXELS), '-max_streams', String(MAX_STREAMS)],
    ...['-max_alloc', String(MAX_ALLOCATION_BYTES), '-threads', String(MEDIA_THREADS)],
  ];
}

/** A file whose name begins like a URL would otherwise be opened as one. */
export function fileUrl(absolutePath: string): string {
  return `file:${absolutePath}`;
}

/** ffmpeg winds up when it is told to stop, and answers this. */
const SIGNAL_EXIT_CODE = 255;

/** Working directory, environment and memory of a media tool, and what it answers when a signal ends it. */
export function surroundings(path: string, program: string) {
  return {
    cwd: dirname(path),
    env: bareEnvironment(program),
    maxMemoryBytes: MEDIA_MEMORY_BYTES,
    signalExitCode: SIGNAL_EXIT_CODE,
  } as const satisfies Partial<RunOptions>;
}

export const TOO_MUCH_WORK = 'The media take more work than this service spends on them.';

/** Starts a media tool; what keeps it from working is told with the setting that the operator must check. */
export async function startTool(setting: string, launch: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await launch();
  } catch (error) {
    if (error instanceof RunStartError) {
      throw new JobError('tool_missing', `A media tool cannot be started; the operator must check ${setting}.`, {
        cause: error,
      });
    }
    if (error instanceof RunTimeoutError) {
      throw new JobError('too_large', TOO_MUCH_WORK, { cause: error });
    }
    throw error;
  }
}

/** A file is no media, or damaged media. Half a file is too, so it is the upstream's fault until its size is known to be right. */
export class UnreadableMediaError extends JobError {
  constructor(stderrTail: string) {
    super('incomplete', 'The media that the platform sent cannot be read.', {
      cause: new Error(stderrTail.slice(-2_000)),
    });
  }
}
