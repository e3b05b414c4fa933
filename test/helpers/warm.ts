import { readPythonProgram } from '../../sources/vidnet/python-program.ts';
import { createWarmYtdlp, type WarmYtdlp } from '../../sources/vidnet/warm-yt-dlp.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp-settings.ts';

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
