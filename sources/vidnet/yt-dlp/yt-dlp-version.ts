import { tmpdir } from 'node:os';
import { JobError } from '../../../runtime/job-error.ts';
import { datedVersion, type DatedVersion } from '../../../runtime/subprocess/dated-version.ts';
import { bareEnvironment } from '../../../runtime/subprocess/bare-environment.ts';
import { run } from '../../../runtime/subprocess/run-program.ts';
import type { WarmYtdlp } from '../warm/warm-yt-dlp.ts';

const TIMEOUT_MS = 30_000;

/** @throws JobError `tool_missing` when yt-dlp cannot be started */
export async function readYtdlpVersion(program: string, warm?: Pick<WarmYtdlp, 'version'>): Promise<DatedVersion> {
  const known = await warm?.version().catch(() => undefined);
  return datedVersion(known ?? (await runForVersion(program)), Date.now());
}

async function runForVersion(program: string): Promise<string> {
  const refused = (cause: unknown): JobError => new JobError('ytdlpNotStarted', { cause });
  const result = await run(program, ['--ignore-config', '--no-plugin-dirs', '--version'], {
    cwd: tmpdir(),
    env: { ...bareEnvironment(program), HOME: tmpdir(), PYTHONDONTWRITEBYTECODE: '1' },
    timeoutMs: TIMEOUT_MS,
    maxStdoutChars: 1_000,
  }).catch((error: unknown) => {
    throw refused(error);
  });
  if (result.exitCode !== 0) throw refused(new Error(result.stderrTail));
  return result.stdout.trim();
}
