import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { BUILT_IN_CATALOGUE, startSandbox, type Sandbox, type SandboxOptions } from '../../local/sandbox/server.ts';
import type { VideoCase } from '../../local/sandbox/catalogue.ts';
import { optional } from '../../runtime/optional.ts';
import { run, type RunResult } from '../../runtime/subprocess/run-program.ts';
import { warmStarter } from './yt-dlp.ts';

export function tool(name: 'TEST_YTDLP' | 'TEST_FFMPEG' | 'TEST_FFPROBE'): string {
  const path = process.env[name];
  if (path === undefined) throw new Error(`${name} is not set; the tests' global set-up does it`);
  return path;
}

export interface TestSandbox extends Sandbox {
  readonly folder: string;
  readonly lines: readonly string[];
  idOf(wanted: VideoCase): string;
  post(path: string, body: unknown): Promise<Response>;
  stats(id?: string): Promise<Record<string, number>>;
}

/** A sandbox with ids of its own. What is made of the built-in media is in the cache of all; other media leave nothing in it. */
export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  const lines: string[] = [];
  const isBuiltIn = options.catalogueDir === undefined && options.mediaDir === undefined;
  const sandbox = await startSandbox({
    catalogueDir: BUILT_IN_CATALOGUE,
    cacheDir: isBuiltIn ? join(defaultCacheDir(process.env), 'sandbox') : join(folder, 'cache'),
    port: 0,
    ffmpeg: tool('TEST_FFMPEG'),
    ffprobe: tool('TEST_FFPROBE'),
    idSalt: randomUUID(),
    log: (line) => lines.push(line),
    ...options,
  });
  return {
    ...sandbox,
    folder,
    lines,
    idOf: (wanted) => sandbox.catalogue.find((video) => video.case === wanted)!.id,
    post: (path, body) => fetch(sandbox.url + path, { method: 'POST', body: JSON.stringify(body) }),
    async stats(id) {
      const all = (await (await fetch(`${sandbox.url}/stats`)).json()) as {
        videos: Record<string, Record<string, number>>;
        totals: Record<string, number>;
      };
      return id === undefined ? all.totals : all.videos[id]!;
    },
    async stop() {
      await sandbox.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the real yt-dlp on a page of the sandbox, as hardened as the service runs it. */
export async function ytDlp(sandbox: TestSandbox, url: string, args: readonly string[]): Promise<RunResult> {
  const program = tool('TEST_YTDLP');
  const warm = await warmStarter.startOf({ program, pluginDir: sandbox.env.YTDLP_PLUGIN_DIR });
  return run(
    program,
    [
      ...['--ignore-config', '--no-plugin-dirs', '--plugin-dirs', sandbox.env.YTDLP_PLUGIN_DIR, '--no-exec'],
      ...['--no-cache-dir', '--no-update', '--no-color', '--no-playlist', '--no-mtime', '--fixup', 'never', '--quiet'],
      ...['--retries', '2', '--extractor-retries', '1', '--socket-timeout', '5', ...args, '--', url],
    ],
    {
      cwd: sandbox.folder,
      env: { PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}`, HOME: sandbox.folder },
      timeoutMs: 60_000,
      maxStdoutChars: 1_000_000,
      ...optional('start', warm?.start),
    },
  );
}

export function pageOf(sandbox: TestSandbox, id: string): string {
  return sandbox.env.VIDNET_VIDEO_URL.replace('{id}', id);
}
