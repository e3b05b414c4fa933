import { open } from 'node:fs/promises';

/** The index of about an hour of AAC. It is limited, because this process reads it, and a hostile index has millions of entries. */
const MAX_INDEX_BYTES = 1024 ** 2;

/**
 * Reads the index at the front of an M4A file that ffmpeg wrote. This takes less than a millisecond; ffprobe takes 15.
 *
 * @returns the codec by MediaBunny's name, and the duration as ffprobe measures it; undefined if only ffprobe can read the file
 */
export async function readM4a(path: string): Promise<{ codec: string; durationSeconds: number } | undefined> {
  // Loading takes a tenth of a second, which the api and most tests need not spend.
  const { BufferSource, Input, Logging, LogLevel, MP4 } = await import('mediabunny');
  // MediaBunny writes about unknown codecs to the console.
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
