import { readFile, stat, writeFile } from 'node:fs/promises';
import { createYielder } from '../runtime/subprocess/yield-to-event-loop.ts';
import type { Input } from 'mediabunny';
import { readHead } from '../runtime/read-head.ts';

/** About eight minutes. The source and its copy are held in memory. */
const MAX_BYTES = 8 * 1024 ** 2;
const MAX_FRAMES = 40_000;
const SAMPLES_OF_FRAME = 1024;
/** The tolerance of times, which is less than one frame. */
const TOLERANCE_SECONDS = 0.01;
/** Brands of the box `ftyp`; by this one, programs recognise audio. */
const BRAND = { offset: 8, text: 'M4A ' } as const;
/** Boxes in which a number that the file states decides how long a loop of the parser runs. Audio needs none of them. */
const UNBOUNDED_BOXES = ['ctts', 'stz2', 'saiz', 'senc'];
const RUN = { box: 'trun', flagsOffset: 6, sizesFlag: 0x02, countOffset: 8, bytesOfSize: 4 } as const;

interface CopyOptions {
  readonly signal: AbortSignal;
  readonly maxSeconds: number;
  /** From the page of the file. */
  readonly statedSeconds: number | undefined;
}

/**
 * Copies the only track of a short M4A with AAC in this process, which costs a tenth of a run of ffmpeg. The copy replaces the
 * decoder by checks of all frames: their times have no gaps, their number fits the duration, and each ends as AAC does.
 *
 * @returns the duration in seconds; undefined, without an output, if the file has a doubtful property, so that ffmpeg must decode it
 */
export async function copyShortM4a(path: string, output: string, options: CopyOptions): Promise<number | undefined> {
  if ((await stat(path)).size > MAX_BYTES) return undefined;
  const bytes = await readFile(path);
  if (!isBounded(bytes)) return undefined;
  const copy = await copyFrames(bytes, options).catch((error: unknown) => {
    options.signal.throwIfAborted();
    // The parser reports damage by errors of all kinds, and ffmpeg decides what to make of it.
    if (error instanceof Error) return undefined;
    throw error;
  });
  if (copy === undefined) return undefined;
  await writeFile(output, copy.bytes);
  return copy.seconds;
}

async function copyFrames(bytes: Uint8Array, { signal, maxSeconds, statedSeconds }: CopyOptions) {
  const media = await loadMediabunny();
  const input = new media.Input({ source: new media.BufferSource(bytes), formats: [media.MP4] });
  const target = new media.BufferTarget();
  const output = new media.Output({ target, format: new media.Mp4OutputFormat({ fastStart: 'in-memory' }) });
  try {
    const tracks = await input.getTracks();
    const [track] = await input.getAudioTracks();
    if (track === undefined || tracks.length > 1 || (await track.getCodec()) !== 'aac') return undefined;
    const decoderConfig = await track.getDecoderConfig();
    if (decoderConfig === null) return undefined;
    const source = new media.EncodedAudioPacketSource('aac');
    output.addAudioTrack(source);
    await output.start();
    const sink = new media.EncodedPacketSink(track);
    const letOthersRun = createYielder(signal);
    let [frames, seconds, frameBytes] = [0, 0, 0];
    for (let frame = await sink.getFirstPacket(); frame !== null; frame = await sink.getNextPacket(frame)) {
      frames += 1;
      frameBytes += frame.data.length;
      const isNext = Math.abs(frame.timestamp - seconds) < TOLERANCE_SECONDS;
      if (!isNext || !endsAsAac(frame.data) || frames > MAX_FRAMES || frameBytes > bytes.length) return undefined;
      seconds = frame.timestamp + frame.duration;
      await source.add(frame, frames === 1 ? { decoderConfig } : undefined);
      await letOthersRun();
    }
    const decodedSeconds = (frames * SAMPLES_OF_FRAME) / decoderConfig.sampleRate;
    // An encoder may state that the last frame is shorter.
    const isFilled =
      Math.abs(decodedSeconds - seconds) < SAMPLES_OF_FRAME / decoderConfig.sampleRate + TOLERANCE_SECONDS;
    const isAsStated = statedSeconds === undefined || Math.abs(statedSeconds - seconds) < Math.max(1, seconds / 100);
    if (frames === 0 || !isFilled || !isAsStated || seconds > maxSeconds) return undefined;
    await output.finalize();
    const made = Buffer.from(target.buffer ?? new ArrayBuffer(0));
    made.write(BRAND.text, BRAND.offset, 'latin1');
    return { bytes: made, seconds };
  } finally {
    input.dispose();
    if (output.state === 'started') await output.cancel();
  }
}

/** Whether the parser reads the file in a time that depends on its size, and not on numbers that it states. */
function isBounded(bytes: Buffer): boolean {
  if (UNBOUNDED_BOXES.some((box) => bytes.includes(box))) return false;
  let frames = 0;
  for (let at = bytes.indexOf(RUN.box); at >= 0; at = bytes.indexOf(RUN.box, at + 4)) {
    const hasSizes = ((bytes[at + RUN.flagsOffset] ?? 0) & RUN.sizesFlag) !== 0;
    if (!hasSizes || at + RUN.countOffset + RUN.bytesOfSize > bytes.length) return false;
    frames += bytes.readUInt32BE(at + RUN.countOffset);
  }
  return frames <= MAX_FRAMES;
}

/** The last element of a frame of AAC is `END`, three bits of 1, before the zeros that fill its last byte (ISO/IEC 14496-3, 4.4.2.1). */
function endsAsAac(frame: Uint8Array): boolean {
  const last = frame.at(-1) ?? 0;
  if (last === 0) return false;
  const tail = ((frame.at(-2) ?? 0) << 8) | last;
  const lowestBit = tail & -tail;
  return (tail & (7 * lowestBit)) === 7 * lowestBit;
}

/** The index of about an hour of AAC. It is limited, because this process reads it, and a hostile index has millions of entries. */
const MAX_INDEX_BYTES = 1024 ** 2;
const SOON_SECONDS = 0.1;

/**
 * Reads the index at the front of an M4A file that this service wrote. This takes less than a millisecond; ffprobe takes 15.
 *
 * @returns the codec by MediaBunny's name, and the duration as ffprobe measures it; undefined if only ffprobe can read the file
 */
export async function readM4a(path: string): Promise<{ codec: string; durationSeconds: number } | undefined> {
  return readIndex(path, async (input) => {
    const [track] = await input.getAudioTracks();
    const codec = await track?.getCodec();
    return track && codec ? { codec, durationSeconds: await track.computeDuration() } : undefined;
  });
}

/** @returns whether the index at the front of a file shows a single track of AAC that begins at once, which needs no probe */
export async function isPlainM4a(path: string): Promise<boolean> {
  const isPlain = await readIndex(path, async (input) => {
    const [track, ...others] = await input.getAudioTracks();
    if (track === undefined || others.length > 0 || (await track.getCodec()) !== 'aac') return false;
    return (await track.getFirstTimestamp()) < SOON_SECONDS;
  });
  return isPlain === true;
}

/**
 * Reads the index at the front of an MP4 file that this service wrote.
 *
 * @returns when the last picture ends, in seconds; undefined if only ffmpeg can read the file
 */
export async function readPicturesEnd(path: string): Promise<number | undefined> {
  return readIndex(path, async (input) => (await input.getPrimaryVideoTrack())?.computeDuration());
}

async function readIndex<Result>(path: string, read: (input: Input) => Promise<Result>): Promise<Result | undefined> {
  const { BufferSource, Input, MP4 } = await loadMediabunny();
  const source = new BufferSource(await readHead(path, MAX_INDEX_BYTES));
  const input = new Input({ source, formats: [MP4] });
  try {
    return await read(input);
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}

/** Loading takes a tenth of a second, which the api and most tests need not spend. */
async function loadMediabunny() {
  const media = await import('mediabunny');
  // MediaBunny writes about unknown codecs to the console.
  media.Logging.level = media.LogLevel.Silent;
  return media;
}
