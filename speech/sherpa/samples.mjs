import { closeSync, openSync, readSync } from 'node:fs';

export const RATE = 16_000;
const BYTES_PER_SAMPLE = 2;

/** @returns Float32Array, -1 to 1; shorter than requested at the end of the file */
export function readSamples({ path, offsetBytes, lengthBytes }, startSeconds, endSeconds) {
  const bytesOf = (seconds) => Math.min(lengthBytes, Math.max(0, Math.round(seconds * RATE)) * BYTES_PER_SAMPLE);
  const first = bytesOf(startSeconds);
  const bytes = Buffer.alloc(Math.max(0, bytesOf(endSeconds) - first));
  const file = openSync(path, 'r');
  let got = 0;
  for (let read = 1; read > 0 && got < bytes.length; got += read) {
    read = readSync(file, bytes, got, bytes.length - got, offsetBytes + first + got);
  }
  closeSync(file);
  const values = new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(got / BYTES_PER_SAMPLE));
  return Float32Array.from(values, (value) => value / 32_768);
}
