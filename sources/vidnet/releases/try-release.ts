import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../runtime/subprocess/run-program.ts';
import { serveTestPage } from '../yt-dlp/own-page.ts';
import { environmentOf, YTDLP_MEMORY_BYTES } from '../yt-dlp/run-yt-dlp.ts';
import type { YtdlpSettings } from '../yt-dlp/yt-dlp-settings.ts';

const TIMEOUT_MS = 120_000;

/**
 * Downloads from a page of our own, with all arguments of a job and no request to anybody else.
 *
 * @returns what the program calls its version
 * @throws when it can't be started, doesn't take our arguments, or brings nothing
 */
export async function checkRelease(settings: YtdlpSettings, signal: AbortSignal): Promise<string> {
  const { program } = settings;
  const cwd = await mkdtemp(join(tmpdir(), 'tapedeck-release-'));
  const page = await serveTestPage(settings);
  try {
    const env = await environmentOf({ program }, { home: cwd, programs: join(cwd, 'programs') });
    const call = async (args: readonly string[]): Promise<string> => {
      const { exitCode, stdout, stderrTail } = await run(program, args, {
        ...{ cwd, env, signal, timeoutMs: TIMEOUT_MS, maxMemoryBytes: YTDLP_MEMORY_BYTES, maxStdoutChars: 100_000 },
      });
      if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${stderrTail.trim().split('\n').at(-1) ?? ''}`);
      return stdout.trim();
    };
    const version = await call(['--ignore-config', '--no-plugin-dirs', '--version']);
    await call(page.args);
    const size = await stat(join(cwd, 'media.m4a')).then(
      (file) => file.size,
      () => 0,
    );
    if (size !== 1_000) throw new Error('it does not download what a page names');
    return version;
  } finally {
    page.close();
    await rm(cwd, { recursive: true, force: true });
  }
}
