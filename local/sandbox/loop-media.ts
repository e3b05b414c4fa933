import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { encodedOnce } from './made-once.ts';

export interface LoopSettings {
  readonly ffmpeg: string;
  /** Results are kept here, by the content of what they were made from. */
  readonly cacheDir: string;
}

/**
 * A long file made by repeating a short one, without re-encoding.
 *
 * @param path absolute path of the short one
 * @param seconds length of the result; it ends with the packet that reaches it
 * @returns absolute path in the cache; its last segment is that of the short one
 */
export async function loopMedia(path: string, seconds: number, settings: LoopSettings): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path));
  const key = hash
    .update(`\0${String(seconds)}`)
    .digest('hex')
    .slice(0, 32);
  return encodedOnce(join(settings.cacheDir, 'looped', key, basename(path)), settings.ffmpeg, [
    ...['-stream_loop', '-1', '-protocol_whitelist', 'file', '-i', `file:${path}`],
    ...['-map', '0', '-c', 'copy', '-t', String(seconds)],
  ]);
}
