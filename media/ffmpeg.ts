import { rm, stat } from 'node:fs/promises';
import { JobError } from '../runtime/job-error.ts';
import { failureFor } from '../contract/failures.ts';
import { createConvert, mostSeconds, timeForMs, type ConvertSettings, type RunLimits } from './convert.ts';
import {
  fileUrl,
  INPUT_GUARD,
  isTransportStream,
  PICTURE_GUARD,
  runTool,
  TRANSPORT_STREAM_GUARD,
  UnreadableMediaError,
} from './media-guard.ts';
import { AAC, copiedKinds, outputArguments, SOUND_FILTER, type OutputFile } from './output-file.ts';
import { copyShortM4a, isPlainM4a, readM4a, readPicturesEnd } from './m4a.ts';
import {
  codecOf,
  countPictures,
  MAX_GAP_SECONDS,
  probeFile,
  streamOf,
  undecodableKinds,
  type MediaSource,
  type Probe,
} from './probe.ts';

/** Decodes sound without keeping it. */
const DECODED_RATE = 8_000;
const DECODED = `-ac 1 -ar ${String(DECODED_RATE)} -c:a pcm_s16le -f s16le file:/dev/null`.split(' ');
/** The share of files that ffmpeg decodes although nothing about them is doubtful. */
const DECODED_SHARE = 0.02;
interface FfmpegSettings extends ConvertSettings {
  readonly ffprobe: string;
  /** Tallest picture of a video. */
  readonly maxVideoHeight: number;
}

export interface SoundSource {
  readonly path: string;
  readonly audioCodec: string;
  /** The index of the stream; default: the first of sound. */
  readonly index?: number | undefined;
  /** Silence to put before the sound. */
  readonly leadSeconds?: number;
}

export type Media = ReturnType<typeof createMedia>;

/** Runs ffmpeg and ffprobe on files that may be hostile. All paths are absolute. */
export function createMedia(settings: FfmpegSettings) {
  const convert = createConvert(settings);

  /** @returns the number of pixels to decode, which may be large in a small file: a black frame takes a hundred bytes */
  const pixelsOf = async ({ path, probe }: MediaSource, options: RunLimits): Promise<number> => {
    const { index = 0, width = 0, height = 0 } = streamOf(probe, 'video') ?? {};
    const timeoutMs = Math.min(options.timeoutMs, timeForMs({ bytes: await sizeOf(path) }));
    const pixels = width * height * (await countPictures(settings.ffprobe, { path, index }, { ...options, timeoutMs }));
    if (pixels > maxPixels(settings.maxVideoHeight)) throw new JobError('mediaTooMuchWork');
    return pixels;
  };

  /** Copies all video and audio into a file beside the source. */
  const copyAll = async (
    { path, guard }: { readonly path: string; readonly guard: readonly string[] },
    format: 'null' | 'mp4',
    options: RunLimits,
  ) => {
    const args = [...guard, '-i', fileUrl(path), '-map', '0:V?', '-map', '0:a?', '-c', 'copy', '-f', format];
    return convert(args, `${path}.${format}`, { ...options, work: { bytes: await sizeOf(path) } });
  };

  /** Reads the audio of an M4A file that this service wrote. A file with a small index is read without ffprobe. */
  const probeM4a = async (path: string, signal: AbortSignal) => {
    const read = await readM4a(path);
    if (read !== undefined) return read;
    const probe = await probeFile(settings.ffprobe, path, { signal });
    return { codec: codecOf(probe, 'audio'), durationSeconds: probe.durationSeconds };
  };

  return {
    /** @throws UnreadableMediaError when the file is no media, JobError `tool_missing` when ffprobe can't be started */
    probe: (path: string, signal: AbortSignal): Promise<Probe> => probeFile(settings.ffprobe, path, { signal }),
    isPlainM4a,
    readPicturesEnd,
    /** @returns the duration of the copy; undefined if {@link writeM4a} must write it */
    copyM4a: async (
      path: string,
      output: string,
      options: { signal: AbortSignal; statedSeconds: number | undefined },
    ) =>
      Math.random() < DECODED_SHARE
        ? undefined
        : copyShortM4a(path, output, { ...options, maxSeconds: settings.maxMediaSeconds }),
    /** @returns the kinds of the streams whose ends cannot be decoded */
    damagedKinds: (media: MediaSource, limits: RunLimits): Promise<readonly string[]> =>
      undecodableKinds(settings.ffprobe, media, limits),

    /**
     * Reads the times of all pictures as ffmpeg does, without decoding them.
     *
     * @returns when the last one ends, in seconds after the start of the file; throws UnreadableMediaError if ffmpeg fails
     */
    picturesEnd: async (path: string, limits: RunLimits): Promise<number> => {
      let [ticks, tick] = [0, 0];
      const args = [...INPUT_GUARD, '-i', fileUrl(path), '-map', '0:V:0', '-c', 'copy', '-f', 'framecrc', 'pipe:1'];
      const { exitCode, stderrTail } = await runTool('FFMPEG_PATH', ['-v', 'error', '-nostdin', ...args], {
        ...{ program: settings.ffmpeg, path, maxStdoutChars: 0, signal: limits.signal, timeoutMs: limits.timeoutMs },
        onStdoutLine: (line) => {
          const [, over, under] = /^#tb 0: (\d+)\/(\d+)/.exec(line) ?? [];
          if (under !== undefined) tick = Number(over) / Number(under);
          // A line has the number of the stream, the times of decoding and of presentation, and the duration.
          const [, start, duration] = /^0,[^,]+,([^,]+),([^,]+),/.exec(line) ?? [];
          if (duration !== undefined) ticks = Math.max(ticks, Number(start) + Number(duration));
        },
      });
      if (exitCode !== 0) throw new UnreadableMediaError(stderrTail);
      return ticks * tick;
    },

    /** @returns the duration of a file's packets, which are all read, because the headers may be wrong */
    measure: async (path: string, options: RunLimits): Promise<number> =>
      (await copyAll({ path, guard: INPUT_GUARD }, 'null', options)).seconds,

    /**
     * Copies all video and audio of an MPEG transport stream, which HLS delivers, into an MP4 file beside it without re-encoding.
     * Some builds of ffprobe crash on such a stream.
     *
     * @returns the path of the media; a file that is no transport stream is left unchanged
     */
    rewrap: async (path: string, options: RunLimits): Promise<string> => {
      if (!(await isTransportStream(path))) return path;
      await copyAll({ path, guard: TRANSPORT_STREAM_GUARD }, 'mp4', options);
      await rm(path);
      return `${path}.mp4`;
    },

    /**
     * Writes sound as M4A. AAC is copied if its samples fill its time line; with gaps, a late start or damage, and in any other
     * codec, it is encoded with silence in the gaps.
     *
     * @returns the duration in seconds
     */
    writeM4a: async (
      { path, audioCodec, index, leadSeconds = 0 }: SoundSource,
      output: string,
      options: RunLimits,
    ): Promise<number> => {
      const input = ['-itsoffset', String(leadSeconds), ...INPUT_GUARD, '-i', fileUrl(path)];
      const sound = ['-map', index === undefined ? '0:a:0' : `0:${String(index)}`, '-vn'];
      const limits = { ...options, work: { bytes: await sizeOf(path), seconds: settings.maxMediaSeconds } };
      const durationOf = async (): Promise<number> => {
        const { codec, durationSeconds } = await probeM4a(output, options.signal);
        if (codec !== 'aac') throw new UnreadableMediaError('no sound was decoded');
        return durationSeconds;
      };
      if (audioCodec === 'aac' && leadSeconds === 0) {
        const outputs = [...sound, ...mostSeconds(settings), ...DECODED, ...sound, '-c:a', 'copy', '-f', 'ipod'];
        const { bytes } = await convert([...input, ...outputs], output, limits);
        const seconds = await durationOf();
        if (seconds - bytes / 2 / DECODED_RATE <= MAX_GAP_SECONDS) return seconds;
      }
      await convert([...input, ...sound, '-af', SOUND_FILTER, ...AAC, '-f', 'ipod'], output, limits);
      return durationOf();
    },

    writeSilence: async (seconds: number, output: string, options: RunLimits): Promise<void> => {
      const source = ['-t', String(seconds), '-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=mono'];
      await convert([...source, '-map', '0:a:0', ...AAC, '-f', 'ipod'], output, { ...options, work: { seconds } });
    },

    /**
     * Writes pictures and sound, which are copied if the container allows it, they are not damaged and nothing else is requested.
     *
     * @returns whether both were copied
     * @throws JobError `too_large` for a video that is too tall, or has too many frames to re-encode; `unsupported` for pictures
     *   that the container cannot hold
     */
    write: async (file: OutputFile, output: string, options: RunLimits): Promise<'copied' | 'converted'> => {
      const { pictures, sound, container } = file;
      const copied = copiedKinds(file);
      if (pictures !== undefined) rejectTooTall(pictures.probe, settings.maxVideoHeight);
      if (container === 'webm' && pictures !== undefined && !copied.pictures) throw new JobError('optionImpossible');
      const sizes = await Promise.all([pictures, sound].flatMap((source) => (source ? [sizeOf(source.path)] : [])));
      const work = {
        bytes: sizes.reduce((sum, size) => sum + size, 0),
        seconds: settings.maxMediaSeconds,
        pixels: pictures === undefined || copied.pictures ? 0 : await pixelsOf(pictures, options),
      };
      await convert(outputArguments(file), output, { ...options, work, keeps: true });
      const isCopied = (pictures === undefined || copied.pictures) && (sound === undefined || copied.sound);
      return isCopied ? 'copied' : 'converted';
    },

    /** Writes a picture in any common format as JPEG, as players expect of a cover. */
    writeCover: (path: string, output: string, options: RunLimits): Promise<unknown> => {
      const args = [...PICTURE_GUARD, '-i', fileUrl(path), '-map', '0:v:0', '-frames:v', '1', '-vf', 'format=yuvj420p'];
      const limits = { ...options, work: { pixels: 35_389_440 } };
      return convert([...args, '-c:v', 'mjpeg', '-q:v', '3', '-f', 'mjpeg'], output, limits);
    },
  };
}

/** The pixels of two hours of video with the accepted height, 16:9 and 30 frames a second. */
export function maxPixels(maxVideoHeight: number): number {
  return maxVideoHeight ** 2 * (16 / 9) * 30 * 7_200;
}

/** The shorter side of a video counts, so that upright videos have the same limit. @throws JobError `too_large` */
function rejectTooTall(probe: Probe, maxVideoHeight: number): void {
  const { width = 0, height = 0 } = streamOf(probe, 'video') ?? {};
  const side = Math.min(width, height);
  if (side > maxVideoHeight)
    throw new JobError(failureFor('picturesTooTall', { height: side, maxHeight: maxVideoHeight }));
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}
