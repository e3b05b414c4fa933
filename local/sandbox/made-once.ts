import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { run } from '../../runtime/subprocess/run-program.ts';
import { exists } from '../engines/cache.ts';

const FFMPEG_TIMEOUT_MS = 120_000;

/** Makes a missing file. Two sandboxes may make it at once: each writes its own, and the last rename wins. */
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

/** Makes a missing file with ffmpeg. @param args without the output */
export function encodedOnce(path: string, ffmpeg: string, args: readonly string[]): Promise<string> {
  return madeOnce(path, async (temporary) => {
    const all = ['-nostdin', '-v', 'error', ...args, '-fflags', '+bitexact', `file:${temporary}`];
    const made = await run(ffmpeg, all, { cwd: dirname(path), env: {}, timeoutMs: FFMPEG_TIMEOUT_MS });
    if (made.exitCode !== 0) throw new Error(`ffmpeg could not make ${path}: ${made.stderrTail.trim()}`);
  });
}

export interface MediaTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** For their results, which a later start reuses. */
  readonly cacheDir: string;
}

/** Repeats a short file without re-encoding. @returns the path of the long file, whose name is that of the short one */
export async function loopMedia(path: string, seconds: number, settings: MediaTools): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path));
  const key = hash.update(`\0${String(seconds)}`).digest('hex');
  return encodedOnce(join(settings.cacheDir, 'looped', key, basename(path)), settings.ffmpeg, [
    ...['-stream_loop', '-1', '-protocol_whitelist', 'file', '-i', `file:${path}`],
    ...['-map', '0', '-c', 'copy', '-t', String(seconds)],
  ]);
}
