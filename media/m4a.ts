import type { InputAudioTrack } from 'mediabunny';
import { readHead } from '../runtime/read-head.ts';

/** The index of about an hour of AAC. It is limited, because this process reads it, and a hostile index has millions of entries. */
const MAX_INDEX_BYTES = 1024 ** 2;
const SOON_SECONDS = 0.1;

/**
 * Reads the index at the front of an M4A file that this service wrote. This takes less than a millisecond; ffprobe takes 15.
 *
 * @returns the codec by MediaBunny's name, and the duration as ffprobe measures it; undefined if only ffprobe can read the file
 */
export async function readM4a(path: string): Promise<{ codec: string; durationSeconds: number } | undefined> {
  return readTracks(path, async ([track]) => {
    const codec = await track?.getCodec();
    return track && codec ? { codec, durationSeconds: await track.computeDuration() } : undefined;
  });
}

/** @returns whether the index at the front of a file shows a single track of AAC that begins at once, which needs no probe */
export async function isPlainM4a(path: string): Promise<boolean> {
  const isPlain = await readTracks(path, async ([track, ...others]) => {
    if (track === undefined || others.length > 0 || (await track.getCodec()) !== 'aac') return false;
    return (await track.getFirstTimestamp()) < SOON_SECONDS;
  });
  return isPlain === true;
}

async function readTracks<Result>(
  path: string,
  read: (tracks: readonly InputAudioTrack[]) => Promise<Result>,
): Promise<Result | undefined> {
  const { BufferSource, Input, MP4 } = await loadMediabunny();
  const source = new BufferSource(await readHead(path, MAX_INDEX_BYTES));
  const input = new Input({ source, formats: [MP4] });
  try {
    return await read(await input.getAudioTracks());
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}

/** Loading takes a tenth of a second, which the api and most tests need not spend. */
export async function loadMediabunny() {
  const media = await import('mediabunny');
  // MediaBunny writes about unknown codecs to the console.
  media.Logging.level = media.LogLevel.Silent;
  return media;
}
