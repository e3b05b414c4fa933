import { readPythonProgram } from '../../sources/vidnet/warm/python-program.ts';
import { createWarmYtdlp, type WarmYtdlp } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import type { YtdlpSettings, YtdlpStarter } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';

/** Whether a yt-dlp can be kept warm here: it is written in Python, and this is Linux. */
export function canBeWarm(program: string): Promise<boolean> {
  return readPythonProgram(program).then(
    () => process.platform === 'linux',
    () => false,
  );
}

/** Keeps it warm from now on. @returns undefined where that cannot be */
export async function warmOf(settings: YtdlpSettings): Promise<WarmYtdlp | undefined> {
  if (!(await canBeWarm(settings.program))) return undefined;
  const warm = createWarmYtdlp(settings);
  await warm.ready();
  return warm;
}

const kept = new Map<string, Promise<WarmYtdlp | undefined>>();
/** Where nobody answers; the extractors of plugins are loaded anyway. */
const NOWHERE = { videoUrlTemplate: 'http://127.0.0.1:1/{id}', channelUrlTemplate: 'http://127.0.0.1:1/{path}' };

/**
 * Runs yt-dlp in forks of a warm one, as the worker does. There is one for each set of plugins as long as this process lives, for
 * all its test files, and it ends with the process: to warm up takes as long as three calls that start the program.
 */
export const warmStarter: YtdlpStarter = {
  async startOf({ program, pluginDir }) {
    const key = JSON.stringify([program, pluginDir]);
    const warm =
      kept.get(key) ?? warmOf({ ...NOWHERE, program, pluginDir, maxFileBytes: 1_000_000, maxVideoHeight: 144 });
    kept.set(key, warm);
    return (await warm)?.startOf({ program, pluginDir });
  },
};
