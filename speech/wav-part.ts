import { createReadStream } from 'node:fs';
import { JobError } from '../contract/job-error.ts';
import type { Span } from '../contract/speech.ts';
import { readWavLayout, SAMPLE_RATE } from './wav.ts';

const BYTES_PER_SAMPLE = 2;
const HEADER_BYTES = 44;

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
    sizeBytes: HEADER_BYTES + dataBytes,
    async *chunks() {
      yield headerOf(dataBytes);
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

function headerOf(dataBytes: number): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
