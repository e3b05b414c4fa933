import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { run } from '../../runtime/subprocess/run-program.ts';
import { exists } from '../engines/cache.ts';

const FFMPEG_TIMEOUT_MS = 120_000;

/**
 * Makes a file that is not there yet. Two sandboxes may make it at once: each writes its own, and the last rename wins.
 *
 * @param path absolute
 * @param make writes the file whose path it is given
 */
export async function madeOnce(path: string, make: (temporary: string) => Promise<void>): Promise<string> {
  if (await exists(path)) return path;
  const temporary = join(dirname(path), `${randomUUID()}${extname(path)}`);
  await mkdir(dirname(path), { recursive: true });
  try {
    await make(temporary);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}

/** The same with ffmpeg. @param args all but the output */
export function encodedOnce(path: string, ffmpeg: string, args: readonly string[]): Promise<string> {
  return madeOnce(path, async (temporary) => {
    const all = ['-nostdin', '-v', 'error', ...args, '-fflags', '+bitexact', `file:${temporary}`];
    const made = await run(ffmpeg, all, { cwd: dirname(path), env: {}, timeoutMs: FFMPEG_TIMEOUT_MS });
    if (made.exitCode !== 0) throw new Error(`ffmpeg could not make ${path}: ${made.stderrTail.trim()}`);
  });
}

/** Programs that make and read media. */
export interface MediaTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** What they make and tell is kept here, so that a second start asks them nothing. */
  readonly cacheDir: string;
}

/**
 * A long file made by repeating a short one, without re-encoding.
 *
 * @param path absolute path of the short one
 * @param seconds length of the result; it ends with the packet that reaches it
 * @returns absolute path in the cache; its last segment is that of the short one
 */
export async function loopMedia(path: string, seconds: number, settings: MediaTools): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path));
  const key = hash.update(`\0${String(seconds)}`).digest('hex');
  return encodedOnce(join(settings.cacheDir, 'looped', key, basename(path)), settings.ffmpeg, [
    ...['-stream_loop', '-1', '-protocol_whitelist', 'file', '-i', `file:${path}`],
    ...['-map', '0', '-c', 'copy', '-t', String(seconds)],
  ]);
}
