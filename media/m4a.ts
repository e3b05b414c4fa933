import { open } from 'node:fs/promises';

/** The index of about an hour of AAC. It is kept small, since it is read in this process: a hostile one has millions of entries. */
const MAX_INDEX_BYTES = 1024 ** 2;

/**
 * Reads the index at the front of an M4A that ffmpeg wrote. It takes less than a millisecond; ffprobe, as a process of its
 * own, takes 15.
 *
 * @returns the codec of its sound by MediaBunny's names, and seconds as ffprobe tells them; undefined when the file has no
 *   index that is read here: ffprobe tells what it is then
 */
export async function readM4a(path: string): Promise<{ codec: string; durationSeconds: number } | undefined> {
  // Loaded at its first use: that takes a tenth of a second, which the api and most tests have no use for.
  const { BufferSource, Input, Logging, LogLevel, MP4 } = await import('mediabunny');
  // Of a codec that it does not know it would write to the console.
  Logging.level = LogLevel.Silent;
  const head = await readHead(path);
  const input = new Input({ source: new BufferSource(head), formats: [MP4] });
  try {
    const track = await input.getPrimaryAudioTrack();
    const codec = await track?.getCodec();
    return track && codec ? { codec, durationSeconds: await track.computeDuration() } : undefined;
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = new Uint8Array(Math.min(size, MAX_INDEX_BYTES));
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
