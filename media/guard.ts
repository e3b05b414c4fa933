import { dirname } from 'node:path';
import { JobError } from '../contract/job-error.ts';
import { bareEnvironment } from '../subprocess/environment.ts';
import { RunStartError, RunTimeoutError, type RunResult } from '../subprocess/run.ts';

/**
 * Containers that may be opened. Without this list ffmpeg goes by content: an .m4a that is a playlist or ffconcat text
 * would copy a neighbour's file into the output.
 */
const CONTAINERS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,ogg,wav,flac,aac';

/** Arguments before each input that may be hostile. */
export const INPUT_GUARD = ['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS] as const;

/** A file whose name begins like a URL would otherwise be opened as one. */
export function fileUrl(absolutePath: string): string {
  return `file:${absolutePath}`;
}

/** ffmpeg winds up when it is told to stop, and answers this. */
const SIGNAL_EXIT_CODE = 255;

/** Working directory and environment of a media tool, and what it answers when a signal ends it. */
export function surroundings(
  path: string,
  program: string,
): { cwd: string; env: Record<string, string>; signalExitCode: number } {
  return { cwd: dirname(path), env: bareEnvironment(program), signalExitCode: SIGNAL_EXIT_CODE };
}

/** Starts a media tool; what keeps it from working is told with the setting that the operator must check. */
export async function startTool(setting: string, launch: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await launch();
  } catch (error) {
    if (error instanceof RunStartError) {
      throw new JobError('tool_missing', `A media tool cannot be started; the operator must check ${setting}.`, {
        cause: error,
      });
    }
    if (error instanceof RunTimeoutError) {
      throw new JobError('internal', 'The conversion took longer than this service allows.', { cause: error });
    }
    throw error;
  }
}

export function unreadable(stderrTail: string): JobError {
  return new JobError('incomplete', 'The media that the platform sent cannot be read.', {
    cause: new Error(stderrTail.slice(-2_000)),
  });
}
