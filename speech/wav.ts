import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { JobError } from '../runtime/job-error.ts';
import type { Span } from '../contract/speech-results.ts';

export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SAMPLE = 2;
/** Of the header that `wavHeader` writes. */
export const WAV_HEADER_BYTES = 44;
/** ffmpeg puts a list of tags before the samples; nothing longer comes before them in what prepare.ts writes. */
const HEADER_MAX_BYTES = 65_536;
const PCM = 1;
const FORMAT_BYTES = 16;
const OUR_FORMAT = wavHeader(0).subarray(20, 20 + FORMAT_BYTES);

/** Where the samples of a WAV file are. */
export interface WavLayout {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly durationSeconds: number;
}

/**
 * Finds the samples of a mono 16-bit WAV file at 16 kHz, as prepare.ts writes it.
 *
 * @throws JobError `internal` when it is something else
 */
export async function readWavLayout(path: string): Promise<WavLayout> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_MAX_BYTES), 0, HEADER_MAX_BYTES, 0);
    const header = buffer.subarray(0, bytesRead);
    if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE') throw notOurs(path);
    let isOurs = false;
    for (let at = 12; at + 8 <= header.length;) {
      const id = header.toString('latin1', at, at + 4);
      const chunkBytes = header.readUInt32LE(at + 4);
      if (id === 'fmt ') isOurs = header.subarray(at + 8, at + 8 + FORMAT_BYTES).equals(OUR_FORMAT);
      if (id === 'data') {
        if (!isOurs) throw notOurs(path);
        // A file that was cut short, or written to a pipe, names more bytes than there are.
        const lengthBytes = Math.floor(Math.min(chunkBytes, size - at - 8) / BYTES_PER_SAMPLE) * BYTES_PER_SAMPLE;
        return { offsetBytes: at + 8, lengthBytes, durationSeconds: lengthBytes / BYTES_PER_SAMPLE / SAMPLE_RATE };
      }
      at += 8 + chunkBytes + (chunkBytes % 2);
    }
    throw notOurs(path);
  } finally {
    await file.close();
  }
}

/** What stands before the samples of a mono 16-bit WAV file at 16 kHz. @param dataBytes of all samples */
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

function notOurs(path: string): JobError {
  return new JobError('internal', 'The prepared audio is damaged.', {
    cause: new Error(`${path} is no mono 16-bit WAV file at ${SAMPLE_RATE} Hz`),
  });
}

/** A part of a WAV file as a WAV file of its own, read from disk while it is used. */
export interface WavPart {
  readonly sizeBytes: number;
  /** Header and samples. @throws JobError `internal` when the file has become shorter meanwhile */
  readonly chunks: () => AsyncGenerator<Uint8Array>;
}

/**
 * Cuts a part out of the whole audio.
 *
 * @param wavPath as prepare.ts writes it
 * @param minSeconds shorter parts are filled up with silence
 * @throws JobError `internal` when it is another kind of file
 */
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
      // An empty range can't be said to a stream: its end is the last byte, not the one after it.
      const range = { start: offsetBytes + first, end: offsetBytes + end - 1 };
      if (end > first) {
        for await (const chunk of createReadStream(wavPath, range) as AsyncIterable<Uint8Array>) {
          readBytes += chunk.length;
          yield chunk;
        }
      }
      if (readBytes !== end - first) throw new JobError('internal', 'The prepared audio is damaged.');
      if (silenceBytes > 0) yield new Uint8Array(silenceBytes);
    },
  };
}

function bytesOf(seconds: number): number {
  return Math.round(seconds * SAMPLE_RATE) * BYTES_PER_SAMPLE;
}
