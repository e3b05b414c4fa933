import { open, rm, stat } from 'node:fs/promises';
import { JobError } from '../runtime/job-error.ts';
import { run } from '../runtime/subprocess/run-program.ts';
import {
  fileUrl,
  INPUT_GUARD,
  MEDIA_THREADS,
  TRANSPORT_STREAM_GUARD,
  runTool,
  toolOptions,
  UnreadableMediaError,
} from './media-guard.ts';
import { maxPixels, rejectTooTall, timeForMs, type Work } from './media-limits.ts';
import { readM4a } from './m4a.ts';
import { codecOf, countPictures, probeFile, type Probe } from './probe.ts';

/** At this bit rate, speech and music sound like the source. */
const AAC = ['-c:a', 'aac', '-b:a', '192k'] as const;
/** Every common player supports 8-bit 4:2:0 with an even width and height. */
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '21', '-pix_fmt', 'yuv420p'] as const;
const EVEN_SIDES = ['-vf', 'scale=trunc(iw/2)*2:trunc(ih/2)*2'] as const;

interface FfmpegSettings {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  readonly maxFileBytes: number;
  readonly maxMediaSeconds: number;
  /** Tallest picture of a video. */
  readonly maxVideoHeight: number;
}

export interface MediaSource {
  readonly path: string;
  readonly probe: Probe;
}

interface RunLimits {
  readonly signal: AbortSignal;
  /** Time limit of all runs together. Each run also has a limit that depends on its work. */
  readonly timeoutMs: number;
  /** Called with the seconds of media written so far. */
  readonly onProgress: (seconds: number) => void;
}

export type Media = ReturnType<typeof createMedia>;

/** Runs ffmpeg and ffprobe on files that may be hostile. All paths are absolute. */
export function createMedia(settings: FfmpegSettings) {
  const convert = async (args: readonly string[], output: string, options: RunLimits & { work: Work }) => {
    const common = ['-v', 'error', '-nostdin', '-y', '-filter_threads', String(MEDIA_THREADS)];
    // Only mapped streams are written, and the duration limit ends a decompression bomb.
    const bounds = ['-threads', String(MEDIA_THREADS), '-t', String(settings.maxMediaSeconds)];
    const limits = ['-sn', '-dn', '-map_metadata', '-1', ...bounds];
    const target = ['-movflags', '+faststart', '-progress', 'pipe:1', fileUrl(output)];
    const result = await runTool('FFMPEG_PATH', () =>
      run(settings.ffmpeg, [...common, ...args, ...limits, ...target], {
        ...toolOptions(output, settings.ffmpeg),
        signal: options.signal,
        timeoutMs: Math.min(options.timeoutMs, timeForMs(options.work)),
        maxFileBytes: settings.maxFileBytes,
        onStdoutLine: (line) => {
          const written = /^out_time_us=(\d+)$/.exec(line)?.[1];
          if (written !== undefined) options.onProgress(Number(written) / 1_000_000);
        },
      }),
    );
    if (result.exitCode === 0) return;
    if (/No space left on device|Disk quota exceeded/.test(result.stderrTail)) {
      throw new JobError('diskFull', { cause: new Error(result.stderrTail) });
    }
    if (/Cannot allocate memory|malloc of size \d+ failed/.test(result.stderrTail)) {
      throw new JobError('mediaTooMuchMemory', { cause: new Error(result.stderrTail.slice(-2_000)) });
    }
    throw new UnreadableMediaError(result.stderrTail);
  };

  /** @returns the number of pixels to decode, which may be large in a small file: a black frame takes a hundred bytes */
  const pixelsOf = async ({ path, probe }: MediaSource, options: RunLimits): Promise<number> => {
    const { width = 0, height = 0 } = probe.streams.find(({ kind }) => kind === 'video') ?? {};
    const timeoutMs = Math.min(options.timeoutMs, timeForMs({ bytes: await sizeOf(path) }));
    const pixels = width * height * (await countPictures(settings.ffprobe, path, { ...options, timeoutMs }));
    if (pixels > maxPixels(settings.maxVideoHeight)) throw new JobError('mediaTooMuchWork');
    return pixels;
  };

  return {
    /** @throws UnreadableMediaError when the file is no media, JobError `tool_missing` when ffprobe can't be started */
    probe: (path: string, signal: AbortSignal): Promise<Probe> => probeFile(settings.ffprobe, path, signal),

    /** Reads the audio of an M4A file that this service wrote. A file with a small index is read without ffprobe. */
    probeM4a: async (path: string, signal: AbortSignal) => {
      const read = await readM4a(path);
      if (read !== undefined) return read;
      const probe = await probeFile(settings.ffprobe, path, signal);
      return { codec: codecOf(probe, 'audio'), durationSeconds: probe.durationSeconds };
    },

    /**
     * Copies the video and audio of an MPEG transport stream, which HLS delivers, into an MP4 file beside it without re-encoding.
     * Some builds of ffprobe crash on such a stream.
     *
     * @returns the path of the media; a file that is no transport stream is left unchanged
     */
    rewrap: async (path: string, options: Omit<RunLimits, 'onProgress'>): Promise<string> => {
      if (!(await isTransportStream(path))) return path;
      const output = `${path}.mp4`;
      const streams = ['-map', '0:V:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'mp4'];
      const args = [...TRANSPORT_STREAM_GUARD, '-i', fileUrl(path), ...streams];
      const work = { bytes: await sizeOf(path) };
      await convert(args, output, { ...options, work, onProgress: () => undefined });
      await rm(path);
      return output;
    },

    /** Writes the first audio stream as M4A: AAC is copied, anything else becomes AAC. */
    writeM4a: async (
      { path, audioCodec }: { path: string; audioCodec: string },
      output: string,
      options: RunLimits,
    ): Promise<void> => {
      const isCopied = audioCodec === 'aac';
      const codec = isCopied ? ['-c:a', 'copy'] : AAC;
      const args = [...INPUT_GUARD, '-i', fileUrl(path), '-map', '0:a:0', '-vn', ...codec, '-f', 'ipod'];
      const work = { bytes: await sizeOf(path), seconds: isCopied ? 0 : settings.maxMediaSeconds };
      await convert(args, output, { ...options, work });
    },

    writeSilence: (seconds: number, output: string, options: RunLimits): Promise<void> => {
      const source = ['-t', String(seconds), '-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=mono'];
      return convert([...source, '-map', '0:a:0', ...AAC, '-f', 'ipod'], output, { ...options, work: { seconds } });
    },

    /**
     * Writes video and audio as an MP4 that can be played while it loads. H.264 and AAC are copied; other codecs are re-encoded.
     *
     * @throws JobError `too_large` for a video that is too tall, or has too many frames to re-encode
     */
    writeMp4: async (
      { pictures, sound }: { pictures: MediaSource; sound: MediaSource | undefined },
      output: string,
      options: RunLimits,
    ): Promise<void> => {
      rejectTooTall(pictures.probe, settings.maxVideoHeight);
      const isCopied = playsEverywhere(pictures.probe);
      const inOneFile = sound?.path === pictures.path;
      const inputs = [pictures, ...(sound === undefined || inOneFile ? [] : [sound])];
      const sizes = await Promise.all(inputs.map(({ path }) => sizeOf(path)));
      const work = {
        bytes: sizes.reduce((sum, size) => sum + size, 0),
        seconds: settings.maxMediaSeconds,
        pixels: isCopied ? 0 : await pixelsOf(pictures, options),
      };
      const args = [
        ...inputs.flatMap(({ path }) => [...INPUT_GUARD, '-i', fileUrl(path)]),
        // The capital V excludes cover pictures.
        ...['-map', '0:V:0', ...(isCopied ? ['-c:v', 'copy'] : [...H264, ...EVEN_SIDES])],
        ...(sound === undefined ? [] : ['-map', inOneFile ? '0:a:0' : '1:a:0']),
        ...(sound !== undefined && codecOf(sound.probe, 'audio') === 'aac' ? ['-c:a', 'copy'] : AAC),
        ...['-f', 'mp4'],
      ];
      await convert(args, output, { ...options, work });
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

/** Packets of a transport stream have 188 bytes and begin with 0x47 (ISO/IEC 13818-1, section 2.4.3). */
async function isTransportStream(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(189), 0, 189, 0);
    return bytesRead === 189 && buffer[0] === 0x47 && buffer[188] === 0x47;
  } finally {
    await file.close();
  }
}

function playsEverywhere(pictures: Probe): boolean {
  const stream = pictures.streams.find(({ kind }) => kind === 'video');
  return stream?.codec === 'h264' && ['yuv420p', 'yuvj420p'].includes(stream.pixelFormat ?? '');
}
