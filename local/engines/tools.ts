import type { Setup } from './environment.ts';
import { mediaProgram } from './ffmpeg.ts';
import { speechPython, type SpeechTools } from './speech-python.ts';
import { ensure, NoStrategyError, type Tool } from './strategies.ts';
import { ytdlp } from './ytdlp.ts';

/** Absolute paths of the programs that activities run. */
export interface Tools {
  readonly ytdlp: string;
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

/**
 * Finds the tools, setting up in the cache what is missing. YTDLP_PATH, FFMPEG_PATH and FFPROBE_PATH in `env` are used
 * as given.
 *
 * @throws an error that says of each one that can't be had why, or names the setting when a given one can't be run
 */
export async function ensureTools(setup: Setup): Promise<Tools> {
  const failures: string[] = [];
  const pathOf = async (tool: Tool): Promise<string> => {
    try {
      return (await ensure(tool, setup.log)).value;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
      return '';
    }
  };
  // All are awaited, so that a failure of one does not leave the others working in the background.
  const [ytdlpPath, ffmpeg, ffprobe] = await Promise.all([
    pathOf(ytdlp(setup)),
    pathOf(mediaProgram('ffmpeg', setup)),
    pathOf(mediaProgram('ffprobe', setup)),
  ]);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return { ytdlp: ytdlpPath, ffmpeg, ffprobe };
}

/**
 * What the search for speech and the builtin engine run on, set up in the cache when missing. Not part of
 * {@link ensureTools}: it is large, and only transcripts with speaker labels need it. SPEECH_PYTHON_PATH in `env` is used
 * as given.
 *
 * @throws {NoStrategyError}; an error naming the setting when the given Python lacks a package
 */
export async function ensureSpeechTools(setup: Setup): Promise<SpeechTools> {
  return (await ensure(speechPython(setup), setup.log)).value;
}

/**
 * The settings of {@link ensureSpeechTools}. Without a Python nothing else is held up: the service runs, and a transcription
 * says which setting it needs.
 */
export async function speechSettings(setup: Setup): Promise<Readonly<Record<string, string>>> {
  try {
    const { python, vadModel } = await ensureSpeechTools(setup);
    return { SPEECH_PYTHON_PATH: python, SPEECH_VAD_MODEL_PATH: setup.env['SPEECH_VAD_MODEL_PATH'] || vadModel };
  } catch (error) {
    if (!(error instanceof NoStrategyError)) throw error;
    setup.log(`speech: speaker labels are off. ${error.message}`);
    return {};
  }
}
