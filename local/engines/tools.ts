import type { SpeechConfig } from '../../speech/choose-engine.ts';
import type { Setup } from './environment.ts';
import { mediaProgram } from './ffmpeg.ts';
import { fetchStarterModels, hearsWithoutPython, isUndecided, speechPython } from './speech-setup.ts';
import { ensure, NoStrategyError, type Tool } from './strategies.ts';
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
  // All are awaited, so that no installation goes on in the background after a failure.
  const [ytdlpPath, ffmpeg, ffprobe] = await Promise.all([
    pathOf(ytdlp(setup)),
    pathOf(mediaProgram('ffmpeg', setup)),
    pathOf(mediaProgram('ffprobe', setup)),
  ]);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return { ytdlp: ytdlpPath, ffmpeg, ffprobe };
}

/** Models go before Python packages. Without either, a transcription reports which setting it needs. */
export async function speechSettings(
  setup: Setup,
  config: SpeechConfig,
  mayFetchModels: boolean,
): Promise<Readonly<Record<string, string>>> {
  if (await hearsWithoutPython(config)) return {};
  if (mayFetchModels && isUndecided(config)) {
    await fetchStarterModels(config, setup.log);
    if (await hearsWithoutPython(config)) return {};
  }
  try {
    const { python, vadModel } = (await ensure(speechPython(setup), setup.log)).value;
    return { SPEECH_PYTHON_PATH: python, SPEECH_VAD_MODEL_PATH: setup.env['SPEECH_VAD_MODEL_PATH'] || vadModel };
  } catch (error) {
    if (!(error instanceof NoStrategyError)) throw error;
    setup.log(`speech: speaker labels are off. ${error.message}`);
    return {};
  }
}
