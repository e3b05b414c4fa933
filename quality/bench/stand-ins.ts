import { statSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The worker reads its index. */
const AUDIO = fileURLToPath(new URL('../../local/sandbox/catalogue/media/garden/140.m4a', import.meta.url));
const SECONDS = 14;
const FACTS = { duration: SECONDS };
const PROBE = {
  format: { format_name: 'mov', duration: SECONDS, size: 4 },
  streams: [{ codec_type: 'audio', codec_name: 'aac', duration: SECONDS }],
};

/**
 * Writes programs that stand in for yt-dlp, ffmpeg and ffprobe: fetching takes a while and no processor, the rest nothing.
 * So it can be seen what the service itself can do.
 *
 * @returns settings of the worker
 */
export async function writeStandIns(folder: string, fetchSeconds: number) {
  await mkdir(folder, { recursive: true });
  const write = async (name: string, version: string, lines: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    const versionCase = `case "$*" in *-version) echo '${version}'; exit 0 ;; esac`;
    await writeFile(path, ['#!/bin/sh', versionCase, ...lines, ''].join('\n'));
    await chmod(path, 0o755);
    return path;
  };
  return {
    // It has no PATH.
    YTDLP_PATH: await write('yt-dlp', '2026.10.26', [
      `echo 'TAPEDECK-VIDEO ${JSON.stringify(FACTS)}'`,
      // Without a size a file would be fetched twice.
      `echo 'TAPEDECK-FORMATS ${JSON.stringify({ size: statSync(AUDIO).size, parts: ['140'], ext: 'm4a' })}'`,
      `/bin/sleep ${String(fetchSeconds)}`,
      `/bin/cp '${AUDIO}' media.m4a`,
    ]),
    FFMPEG_PATH: await write('ffmpeg', 'ffmpeg version 9.0', [
      'for last; do :; done',
      `/bin/cp '${AUDIO}' "\${last#file:}"`,
    ]),
    FFPROBE_PATH: await write('ffprobe', 'ffprobe version 9.0', [`echo '${JSON.stringify(PROBE)}'`]),
  };
}
