import { createReadStream } from 'node:fs';
import { JobError } from '../runtime/job-error.ts';
import type { Span } from '../contract/speech.ts';
import { BYTES_PER_SAMPLE, readWavLayout, SAMPLE_RATE, WAV_HEADER_BYTES, wavHeader } from './wav.ts';

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
