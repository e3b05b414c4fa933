import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { JobError } from '../runtime/job-error.ts';
import { readHead } from '../runtime/read-head.ts';
import type { Span } from '../contract/speech-results.ts';

export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SAMPLE = 2;
export const WAV_HEADER_BYTES = 44;
/** ffmpeg writes a list of tags before the samples, but no longer header in the files of prepare.ts. */
const HEADER_MAX_BYTES = 65_536;
const PCM = 1;
const FORMAT_BYTES = 16;
const EXPECTED_FORMAT = wavHeader(0).subarray(20, 20 + FORMAT_BYTES);

export interface WavLayout {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly durationSeconds: number;
}

/** @throws JobError `internal` if the file is not mono 16-bit WAV at 16 kHz */
export async function readWavLayout(path: string): Promise<WavLayout> {
  const { size } = await stat(path);
  const header = await readHead(path, HEADER_MAX_BYTES);
  if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE')
    throw unexpectedFormat(path);
  let hasExpectedFormat = false;
  for (let at = 12; at + 8 <= header.length;) {
    const id = header.toString('latin1', at, at + 4);
    const chunkBytes = header.readUInt32LE(at + 4);
    if (id === 'fmt ') hasExpectedFormat = header.subarray(at + 8, at + 8 + FORMAT_BYTES).equals(EXPECTED_FORMAT);
    if (id === 'data') {
      if (!hasExpectedFormat) throw unexpectedFormat(path);
      // A truncated file, or one that was written to a pipe, declares more bytes than it has.
      const lengthBytes = Math.floor(Math.min(chunkBytes, size - at - 8) / BYTES_PER_SAMPLE) * BYTES_PER_SAMPLE;
      return { offsetBytes: at + 8, lengthBytes, durationSeconds: lengthBytes / BYTES_PER_SAMPLE / SAMPLE_RATE };
    }
    at += 8 + chunkBytes + (chunkBytes % 2);
  }
  throw unexpectedFormat(path);
}

export function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(FORMAT_BYTES, 16);
  header.writeUInt16LE(PCM, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

function unexpectedFormat(path: string): JobError {
  return new JobError('preparedAudioDamaged', {
    cause: new Error(`${path} is not a mono 16-bit WAV file at ${SAMPLE_RATE} Hz`),
  });
}

/** The samples are read from disk on demand. */
export interface WavPart {
  readonly sizeBytes: number;
  /** Header and samples. @throws JobError `internal` if the file has been truncated since */
  readonly chunks: () => AsyncGenerator<Uint8Array>;
}

/** @param minSeconds shorter parts are padded with silence */
export async function cutWav(wavPath: string, span: Span, minSeconds: number): Promise<WavPart> {
  const { offsetBytes, lengthBytes } = await readWavLayout(wavPath);
  const first = Math.min(bytesOf(span.startSeconds), lengthBytes);
  const end = Math.min(Math.max(first, bytesOf(span.endSeconds)), lengthBytes);
  const silenceBytes = Math.max(0, bytesOf(minSeconds) - (end - first));
  const dataBytes = end - first + silenceBytes;
  return {
    sizeBytes: WAV_HEADER_BYTES + dataBytes,
    async *chunks() {
      yield wavHeader(dataBytes);
      let readBytes = 0;
      // A stream cannot have an empty range, because its `end` is inclusive.
      const range = { start: offsetBytes + first, end: offsetBytes + end - 1 };
      if (end > first) {
        for await (const chunk of createReadStream(wavPath, range) as AsyncIterable<Uint8Array>) {
          readBytes += chunk.length;
          yield chunk;
        }
      }
      if (readBytes !== end - first) throw new JobError('preparedAudioDamaged');
      if (silenceBytes > 0) yield new Uint8Array(silenceBytes);
    },
  };
}

function bytesOf(seconds: number): number {
  return Math.round(seconds * SAMPLE_RATE) * BYTES_PER_SAMPLE;
}
