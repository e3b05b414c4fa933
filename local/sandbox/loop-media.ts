import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { run } from '../../runtime/subprocess/run.ts';

const LOOP_TIMEOUT_MS = 120_000;

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
  const key = createHash('sha256')
    .update(await readFile(path))
    .update(`\0${String(seconds)}`)
    .digest('hex')
    .slice(0, 32);
  const folder = join(settings.cacheDir, 'looped', key);
  const result = join(folder, basename(path));
  if (await exists(result)) return result;
  await mkdir(folder, { recursive: true });
  // Two starts may make it at once: each writes its own file, and the last rename wins.
  const temporary = join(folder, `${randomUUID()}${extname(path)}`);
  try {
    const made = await run(
      settings.ffmpeg,
      [
        ...['-nostdin', '-v', 'error', '-stream_loop', '-1', '-protocol_whitelist', 'file', '-i', `file:${path}`],
        ...['-map', '0', '-c', 'copy', '-t', String(seconds), '-fflags', '+bitexact', `file:${temporary}`],
      ],
      { cwd: folder, env: {}, timeoutMs: LOOP_TIMEOUT_MS },
    );
    if (made.exitCode !== 0) throw new Error(`ffmpeg could not repeat ${path}: ${made.stderrTail.trim()}`);
    await rename(temporary, result);
  } finally {
    await rm(temporary, { force: true });
  }
  return result;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
