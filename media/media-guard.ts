import { dirname } from 'node:path';
import { failureFor } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { readHead } from '../runtime/read-head.ts';
import { bareEnvironment } from '../runtime/subprocess/bare-environment.ts';
import {
  run,
  RunStartError,
  RunTimeoutError,
  type RunOptions,
  type RunResult,
} from '../runtime/subprocess/run-program.ts';

/**
 * Containers that ffmpeg may open. Without this list, ffmpeg detects the container from the content, and an .m4a file that is a
 * playlist or an ffconcat script would copy another local file into the output.
 */
const CONTAINERS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,ogg,wav,flac,aac,flv,avi,mpeg,asf,aiff,amr,au,caf,w64,ac3,eac3,gsm,g722,' +
  'tta,wv,ape,voc,swf,dv,mxf,rm,ivf,nut,wtv,dts';

/**
 * Decoders that may run, by ffmpeg's names. The list covers what media platforms put into the containers above. ffmpeg has 500
 * decoders: some have not been maintained for decades, and one renders SVG with the files that it links to. ffprobe opens a decoder
 * for every stream, so the list includes those of covers and subtitles.
 */
const DECODERS = [
  ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'libdav1d', 'libaom-av1', 'av1'],
  ...['mpeg1video', 'mpeg2video', 'mpeg4', 'msmpeg4', 'msmpeg4v2', 'h263', 'theora', 'prores'],
  ...['aac', 'aac_latm', 'aac_fixed', 'mp3', 'mp3float', 'mp2', 'mp2float', 'mp1', 'mp1float', 'opus', 'libopus'],
  ...['vorbis', 'libvorbis', 'flac', 'alac', 'ac3', 'eac3', 'amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb'],
  ...['pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ...['pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be', 'pcm_alaw', 'pcm_mulaw', 'adpcm_ms', 'adpcm_ima_wav'],
  ...['flv', 'vp6', 'vp6f', 'vp3', 'h261', 'h263p', 'wmv1', 'wmv2', 'wmv3', 'vc1', 'svq3', 'dvvideo', 'rawvideo'],
  ...['wmav1', 'wmav2', 'wmapro', 'wmavoice', 'nellymoser', 'speex', 'gsm', 'gsm_ms', 'g722', 'g726', 'g726le'],
  ...['adpcm_swf', 'adpcm_yamaha', 'adpcm_ima_qt', 'pcm_dvd', 'pcm_s16le_planar', 'wavpack'],
  ...['tta', 'ape', 'rv10', 'rv20', 'rv30', 'rv40', 'cook', 'sipr', 'ra_144', 'ra_288', 'dnxhd', 'jpeg2000'],
  ...['dca', 'truehd', 'png', 'mjpeg', 'webp', 'bmp', 'gif'],
  ...['mov_text', 'webvtt', 'subrip', 'srt', 'text', 'ass', 'ssa'],
  ...['dvdsub', 'dvbsub', 'pgssub', 'cc_dec'],
].join(',');

/** 8192 x 4320 pixels. A frame of 8 bits takes 53 MB, and a decoder holds about twelve frames. */
const MAX_PIXELS = 35_389_440;
/** Leaves room for video, audio in many languages, subtitles and covers. */
const MAX_STREAMS = 200;
/** Largest single allocation, such as the index of a file. */
const MAX_ALLOCATION_BYTES = 512 * 1024 ** 2;
/** Each thread holds frames of its own in memory. */
export const MEDIA_THREADS = 4;
/** Re-encoding frames of MAX_PIXELS takes 2.8 GB, and frames of 1080 lines 0.3 GB. */
const MEDIA_MEMORY_BYTES = 4 * 1024 ** 3;

/** ffmpeg arguments that precede each input, because it may be hostile. */
export const INPUT_GUARD = guardOf(CONTAINERS);
/** The same arguments for an MPEG transport stream, such as the joined segments of an HLS playlist. */
export const TRANSPORT_STREAM_GUARD = guardOf('mpegts');

/** The same arguments for a picture. */
export const PICTURE_GUARD = guardOf('image2,jpeg_pipe,png_pipe,webp_pipe,gif,bmp_pipe');

function guardOf(containers: string): readonly string[] {
  return [
    ...['-protocol_whitelist', 'file', '-format_whitelist', containers, '-codec_whitelist', DECODERS],
    ...['-max_pixels', String(MAX_PIXELS), '-max_streams', String(MAX_STREAMS)],
    ...['-max_alloc', String(MAX_ALLOCATION_BYTES), '-threads', String(MEDIA_THREADS)],
  ];
}

/**
 * Packets of a transport stream have 188 bytes and begin with 0x47 (ISO/IEC 13818-1, section 2.4.3). In the files of cameras
 * (M2TS), a time of four bytes precedes each packet.
 */
export async function isTransportStream(path: string): Promise<boolean> {
  const head = await readHead(path, 197);
  return [0, 4].some((time) => head[time] === 0x47 && head[time + 188 + time] === 0x47);
}

/** Without the prefix, ffmpeg would open a file whose name begins like a URL as that URL. */
export function fileUrl(absolutePath: string): string {
  return `file:${absolutePath}`;
}

/** The exit code with which ffmpeg ends after it receives a signal. */
const SIGNAL_EXIT_CODE = 255;

/**
 * Runs ffmpeg or ffprobe in the folder of a file, with little memory and a bare environment.
 *
 * @throws JobError `tool_missing` with the setting of the tool if it cannot be started, `too_large` if it takes too long
 */
export async function runTool(
  setting: 'FFMPEG_PATH' | 'FFPROBE_PATH',
  args: readonly string[],
  { program, path, ...options }: Partial<RunOptions> & { readonly program: string; readonly path: string },
): Promise<RunResult> {
  const guard = { cwd: dirname(path), env: bareEnvironment(program), maxMemoryBytes: MEDIA_MEMORY_BYTES };
  try {
    return await run(program, args, { ...guard, signalExitCode: SIGNAL_EXIT_CODE, ...options });
  } catch (error) {
    if (error instanceof RunStartError) {
      throw new JobError(failureFor('mediaToolMissing', { setting }), { cause: error });
    }
    if (error instanceof RunTimeoutError) {
      throw new JobError('mediaTooMuchWork', { cause: error });
    }
    throw error;
  }
}

/** The file is damaged or not a media file. A truncated file fails in the same way, so the fault is `upstream` until the size is verified. */
export class UnreadableMediaError extends JobError {
  constructor(stderrTail: string) {
    super('mediaDamaged', { cause: new Error(stderrTail.slice(-2_000)) });
  }
}
