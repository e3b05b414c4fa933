import type { Setup } from './environment.ts';
import { mediaProgram } from './ffmpeg.ts';
import { ensure, type Tool } from './strategies.ts';
import { ytdlp } from './ytdlp.ts';

export type Tools = Awaited<ReturnType<typeof ensureTools>>;

export async function ensureTools(setup: Setup) {
  const failures: string[] = [];
  const pathOf = async (tool: Tool): Promise<string> => {
    try {
      return (await ensure(tool, setup.log)).value;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
      return '';
    }
  };
  // All installations are awaited, so that none continues in the background after a failure.
  const [ytdlpPath, ffmpeg, ffprobe] = await Promise.all([
    pathOf(ytdlp(setup)),
    pathOf(mediaProgram('ffmpeg', setup)),
    pathOf(mediaProgram('ffprobe', setup)),
  ]);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return { ytdlp: ytdlpPath, ffmpeg, ffprobe };
}
