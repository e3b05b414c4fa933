import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { inject } from 'vitest';

const SAMPLE_RATE = 16_000;

/** Runs a media tool to its end. @returns its stdout */
export async function runTool(program: string, args: readonly string[]): Promise<Buffer> {
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${errors}`);
  return Buffer.concat(chunks);
}

/** Decodes a file or URL to 16 kHz mono samples. */
export async function decode(source: string): Promise<Float64Array> {
  const args = ['-v', 'error', '-i', source, '-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 's16le', '-'];
  const bytes = await runTool(inject('tools').ffmpeg, args);
  return Float64Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) => bytes.readInt16LE(index * 2));
}

export interface StreamFacts {
  readonly codec_name: string;
  readonly codec_type: string;
}

export async function probe(source: string): Promise<{ streams: StreamFacts[]; duration: number; container: string }> {
  const args = ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', source];
  const facts = JSON.parse((await runTool(inject('tools').ffprobe, args)).toString()) as {
    streams: StreamFacts[];
    format: { duration: string; format_name: string };
  };
  return { streams: facts.streams, duration: Number(facts.format.duration), container: facts.format.format_name };
}

/** The normalised correlation of two recordings at the best shift of up to 50 ms. 1: the same sound. */
export function correlation(a: Float64Array, b: Float64Array): number {
  const maxShift = SAMPLE_RATE / 20;
  let best = -1;
  for (let shift = -maxShift; shift <= maxShift; shift += 8) best = Math.max(best, correlationAt(a, b, shift));
  return best;
}

function correlationAt(a: Float64Array, b: Float64Array, shift: number): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let index = Math.max(0, -shift); index < a.length && index + shift < b.length; index += 1) {
    const x = a[index] ?? 0;
    const y = b[index + shift] ?? 0;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb || 1);
}

/** A recording as HLS brings it: an MPEG transport stream. */
export function transportStream(source: URL): Promise<Buffer> {
  const args = ['-v', 'error', '-i', fileURLToPath(source), '-c', 'copy', '-f', 'mpegts', 'pipe:1'];
  return runTool(inject('tools').ffmpeg, args);
}
