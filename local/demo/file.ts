import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { AudioRecord } from '../../contract/kinds/audio.ts';
import { sizeText } from './format.ts';
import type { Scene } from './job.ts';
import { probeAudio } from './probe.ts';

const FIRST_BYTES = 1000;

/** Downloads the M4A through its signed link in two ranges, as a caller that resumes would. @throws when a part is wrong */
export async function fetchFile(record: AudioRecord, { stage, terminal, dataDir, signal }: Scene): Promise<void> {
  const link = record.audio_url;
  if (link === null) throw new Error('the record has no audio_url');
  const path = join(dataDir, 'audio.m4a');
  const first = await fetchRange(link, `bytes=0-${String(FIRST_BYTES - 1)}`, { path, flags: 'w', signal });
  const rest = await fetchRange(link, `bytes=${String(FIRST_BYTES)}-`, { path, flags: 'a', signal });

  const published = join(dataDir, new URL(link).pathname);
  if ((await hashOf(path)) !== (await hashOf(published))) throw new Error(`${path} differs from ${published}`);
  const { size } = await stat(path);
  terminal.heading('File');
  terminal.fact('M4A', path);
  terminal.fact('Size', `${sizeText(size)} (${String(size)} bytes)`);
  terminal.fact('Signed link', first, rest, 'the same bytes as the published file');
  for (const [label, value] of await probeAudio(stage.ffprobe, path)) terminal.fact(label, value);
}

async function fetchRange(
  link: string,
  range: string,
  target: { path: string; flags: 'w' | 'a'; signal: AbortSignal },
): Promise<string> {
  const response = await fetch(link, { headers: { Range: range }, signal: target.signal });
  const contentRange = response.headers.get('Content-Range');
  if (response.status !== 206 || contentRange === null || response.body === null) {
    throw new Error(`the signed link answered ${String(response.status)} to Range: ${range}, not 206`);
  }
  await pipeline(
    Readable.fromWeb(response.body as ReadableStream<Uint8Array>),
    createWriteStream(target.path, { flags: target.flags }),
  );
  return `${range}: 206, ${contentRange}`;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
